# A checkout → an image that serves OpenAI's API: Python, frisket with its embedded model, GGUF files; no torch.
FROM rust:1-slim-bookworm AS rust
FROM python:3.12-slim-bookworm AS build
COPY --from=rust /usr/local/cargo /usr/local/cargo
COPY --from=rust /usr/local/rustup /usr/local/rustup
ENV PATH=/usr/local/cargo/bin:$PATH CARGO_HOME=/usr/local/cargo RUSTUP_HOME=/usr/local/rustup
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && pip install --no-cache-dir "maturin>=1.15,<2"
WORKDIR /source
COPY . .
RUN docker/build.sh /image

FROM python:3.12-slim-bookworm
COPY --from=build /image /opt/frisket
# Nothing is written beside /cache: the rest may be mounted read-only.
ENV PYTHONPATH=/opt/frisket PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 XDG_CACHE_HOME=/cache
RUN mkdir /cache && chown 65534:65534 /cache
VOLUME /cache
USER 65534:65534
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health')"]
ENTRYPOINT ["python", "-c", "from frisket.cli import main; main()", "serve", "--host", "0.0.0.0", "--port", "8000"]
