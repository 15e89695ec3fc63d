// What each op's type rule must accept and refuse: inputs as text ("f32[2,3] i32[2]"), outputs or error words.
#pragma once

#include <graph/graph.h>

#include <utility>
#include <vector>

namespace lockstep::test {

using graph::Attribute;
using graph::Attributes;
using graph::OpKind;
using List = std::vector<std::int64_t>;

struct Good {
    const char* name;
    OpKind op;
    const char* inputs;
    Attributes attributes;
    const char* outputs;
};

struct Bad {
    const char* name;
    OpKind op;
    const char* inputs;
    Attributes attributes;
    const char* code;
    const char* words;
};

inline Attributes with(Attributes attributes, const char* name, Attribute value) {
    attributes.insert_or_assign(name, std::move(value));
    return attributes;
}

// One pair per file of rows (op_rows_<family>.cpp); op_rules_test.cpp holds the first ops' and joins them.
std::vector<Good> goodNormRows();
std::vector<Bad> badNormRows();
std::vector<Good> goodPictureRows();
std::vector<Bad> badPictureRows();
std::vector<Good> goodArithmeticRows();
std::vector<Bad> badArithmeticRows();
std::vector<Good> goodUpdateRows();
std::vector<Bad> badUpdateRows();
std::vector<Good> goodShapeRows();
std::vector<Bad> badShapeRows();
std::vector<Good> goodTargetRows();
std::vector<Bad> badTargetRows();

}  // namespace lockstep::test
