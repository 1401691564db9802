// Lines of JSON {schema, documents} → lines of JSON: what llama.cpp's own converter and grammar make of them.
//
// {"refusal": message}, or {"grammar": GBNF, "accepts": [a boolean for each document]}. Linked with llama.cpp's libraries
// by benchmarks/llama_cpp.py.

#include <iostream>
#include <string>

#include "json-schema-to-grammar.h"
#include "json.h"
#include "llama-grammar.h"

// Whether the grammar has the text.
static bool accepts(const llama_grammar & grammar, const std::string & text) {
    llama_grammar * copy = llama_grammar_clone_impl(grammar);
    bool is_accepted = false;
    try {
        llama_grammar_accept_str(*copy, text);
        for (const auto & stack : llama_grammar_get_stacks(copy)) is_accepted |= stack.empty();
    } catch (const std::exception &) {
        // No stack is left: the text may not go on as it does.
    }
    llama_grammar_free_impl(copy);
    return is_accepted;
}

static common_json judged(const common_json & asked) {
    common_json answer = common_json::object();
    std::string text;
    try {
        text = json_schema_to_grammar(asked.at("schema"), true);
    } catch (const std::exception & error) {
        answer["refusal"] = std::string(error.what());
        return answer;
    }
    llama_grammar * grammar = llama_grammar_init_impl(nullptr, text.c_str(), "root", false, nullptr, 0, nullptr, 0);
    if (grammar == nullptr) {
        answer["refusal"] = std::string("its grammar is none that llama.cpp reads");
        return answer;
    }
    common_json verdicts = common_json::array();
    for (const auto & document : asked.at("documents")) verdicts.push_back(accepts(*grammar, document.get<std::string>()));
    llama_grammar_free_impl(grammar);
    answer["grammar"] = text;
    answer["accepts"] = verdicts;
    return answer;
}

int main() {
    for (std::string line; std::getline(std::cin, line);) std::cout << judged(common_json::parse(line)).dump_safe() << std::endl;
    return 0;
}
