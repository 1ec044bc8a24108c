#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Doxygen's input filter: makes Doxygen's comments of the plain ones that the public headers have.

    filter.py HEADER        writes the header, in C or C++ (.hpp), to standard output

A comment before a declaration, or at the end of its line, documents it; the first one of the file documents the file
and its group; "---- title ----" begins a section. Declarations that follow a documented one without an empty line share
its comment, and those without any share that of their section. Structs of options are documented by the functions that
take them."""
import pathlib
import re
import sys

STATUS = re.compile(r"\b(INVALID|SHAPE|DTYPE|AXIS|INDEX|MIXED_DEVICES|NO_DEVICE|DEVICE_LOST|NOMEM|DEVICE_NOMEM|"
                    r"UNSUPPORTED|READONLY|IO|FORMAT|SINGULAR|NOCONVERGE|FORKED|INTERNAL)\b(?!_)")
NOTE = re.compile(r"^(.*\S)\s*/\*\s*(.*?)\s*\*/( \\)?$")    # code, comment, and the backslash of a macro that goes on
TYPE = re.compile(r"(typedef )?(struct|enum)\b[^;(/]*\{$|typedef (enum|struct)$")
# members that need no comment in the headers
OBVIOUS = [
    (re.compile(r"\b\w+_MAX_ENUM\b"), "Makes the enum 32 bits wide."),
    (re.compile(r"\breserved(?:32)?(?:\[\d+\])?;"), "Zero."),
    (re.compile(r"\bGARRAY_OP_([a-z0-9_]+) ="), r"The operation of garray_\1()."),
    (re.compile(r"\bGARRAY_(U?INT\d+|B?FLOAT\d+|COMPLEX\d+) ="), lambda m: f"NumPy's {m.group(1).lower()}."),
    (re.compile(r"\bint32_t keepdims;"), "1: reduced axes stay, with length 1."),
    (re.compile(r"\bint32_t density;"), "1: probability density, which integrates to 1."),
    (re.compile(r"\bgarray_dtype dtype;"), "The dtype of the result; 0: the default."),
    (re.compile(r"\bgarray_operand where;"), "A bool array: the elements that count."),
    (re.compile(r"\bvoid \*ctx;"), "What the functions are given."),
]


def escape(text):
    """A comment's text for Doxygen, with links to the status codes."""
    return STATUS.sub(r'@ref GARRAY_ERR_\1 "\1"', re.sub(r"([\\@<>#%]|::)", r"\\\1", text))


def comment(text, head="", tail=""):
    """A comment for Doxygen. Lines that are indented after an empty one are shown as they are."""
    text = re.sub(r"^ {1,2}(\d+\. )", r"\1", text, flags=re.M)
    text = re.sub(r"^   (\w+\.h) +", r"- \1 ", text.rstrip("\n"), flags=re.M)
    lines, code, last = [], False, ""
    for line in text.split("\n"):
        was, code = code, (line.startswith("    ") and (code or not last)) or (code and not line)
        if code != was:
            lines.append("@code{.c}" if code else "@endcode")
        lines.append(line if code else escape(line))
        last = line
    lines += ["@endcode"] if code else []
    return "/** " + head + "\n * ".join(lines) + tail + " */"


def inside(block):
    """The text within a C comment, without the stars at the beginning of lines."""
    return re.sub(r"\n *\* ?", "\n", re.sub(r"^\s*/\*+ ?|\s*\*/$", "", block))


def takers(folder):
    """{struct of options: the functions that take it}"""
    found = {}
    for path in sorted(folder.glob("*.h")):
        for name, args in re.findall(r"^GARRAY_STATUS (garray_\w+)\(([^;]*)\);", path.read_text(), re.M):
            for family in re.findall(r"const (garray_\w+_opts) \*", args):
                found.setdefault(family, []).append(name + "()")
    return found


def pieces(text):
    """Comments that stand alone, and lines of code: (is a comment, text)."""
    lines = iter(text.split("\n"))
    for line in lines:
        comment_alone = line.lstrip().startswith("/*")
        while comment_alone and "*/" not in line:
            line += "\n" + next(lines)
        while line.count("/*") > line.count("*/"):      # a comment at the end of a line that takes several
            line += " " + next(lines).strip(" *")
        yield comment_alone and line.rstrip().endswith("*/"), line


def subject(path, words):
    """What a header is about: as garray.h has it in its list, or the first words of its own comment."""
    found = re.search(rf"^ \*   {path.name} +(.*?)(?: \*/)?$", (path.parent / "garray.h").read_text(), re.M)
    return f"{path.name}: " + (found.group(1) if found else re.split(r"[.:]\s", words.replace("\n", " ") + " ", maxsplit=1)[0])


class Filter:
    def __init__(self, path):
        self.path, self.out = path, []
        self.options = takers(path.parent)
        self.title = None           # of the group
        self.grouped = False        # the group is open
        self.section = False        # a section is open
        self.pending = None         # the comment of the next declaration
        self.shared = None          # what declarations without a comment get: whose it is, the text
        self.of_section = False     # it is the section's, and goes on behind empty lines
        self.known = {}             # members of structs so far, and their comments
        self.place = None           # within a struct or enum: where its comment goes, which is
        self.of_type = None
        self.skipping = False       # within a macro that is not shown
        self.in_function = False

    def text(self):
        text = self.path.read_text()
        if self.path.name == "status.h":    # the enumerators that the preprocessor makes of the list
            rows = re.findall(r'X\((\w+), (\d+), "(.*)"\)', text)
            text = text.replace("    GARRAY_STATUS_LIST(GARRAY__ENUMERATOR)\n",
                                "".join(f"    GARRAY_{name} = {number}, /* {what}. */\n" for name, number, what in rows))
        return text

    def run(self):
        for is_comment, text in pieces(self.text()):
            if is_comment:
                self.comment(inside(text))
            elif self.place is not None:
                self.member(text)
            else:
                self.code(text)
        last = max(i for i, line in enumerate(self.out) if line.startswith("#endif"))
        self.out[last:last] = ["/** @} */"] * (self.section + self.grouped)
        return "\n".join(self.out)

    def group(self):
        """Begins the group with the first thing that is not for the preprocessor."""
        if self.title and not self.grouped:
            self.out.append(f"/** @defgroup {self.path.stem} {escape(self.title)}\n * @{{ */")
            self.grouped = True

    def comment(self, words):
        self.group()
        section = re.match(r"---- (.*?) ----\s*(.*)", words, re.S)
        if self.title is None:
            words = words.replace("SPDX-License-Identifier: BSD-3-Clause\n", "", 1)
            self.title = subject(self.path, words)
            self.out.append(comment(words, f"@file {self.path.name}\n * "))
        elif section and self.place is None:
            name, body = section.group(1)[0].upper() + section.group(1)[1:], section.group(2).strip()
            self.out += ["/** @} */"] * self.section + [comment(body, f"@name {escape(name)}\n * ", "\n * @{")]
            self.section, self.pending = True, None
            self.shared, self.of_section = (name, body) if body else None, True
        else:
            self.pending = words

    def document(self, line, note=None):
        """The comment for what begins on this line, and for those that follow it."""
        words = note or self.pending
        if words:
            self.out.append(comment(words))
            named = re.search(r"\b(garray_\w+)\(|\b(GARRAY_\w+)|(\w+);$", re.sub(r"\bGARRAY_(API|STATUS|MUST_USE) ", "", line))
            self.shared = ("As " + next(filter(None, named.groups())), words) if named else None
            self.of_section = False
        elif self.shared:
            self.out.append(comment(": ".join(self.shared)))
        self.pending = None

    def code(self, line):
        stripped = line.strip()
        note = NOTE.match(line)
        bare = note.group(1) + (note.group(3) or "") if note else line
        if self.skipping or re.match(r"#\s*(define (garray_|GARRAY__|\w+_H$)|undef )|GARRAY__", stripped):
            self.skipping = stripped.endswith("\\")
        elif self.in_function:
            self.in_function = line != "}"
            self.out.append(line)
        elif re.match(r"#\s*define (GARRAY|S)_", stripped):
            self.group()
            self.document(bare, note and note.group(2))
            self.skipping = False
            self.out.append(bare)
        elif TYPE.match(bare.strip()):
            self.group()
            self.of_type, self.pending = note.group(2) if note else self.pending, None
            self.place = len(self.out)
            self.out.append(bare)
        elif not stripped:
            self.pending = None
            self.shared = self.shared if self.of_section else None
            self.out.append(line)
        elif stripped in ("GARRAY_BEGIN", "GARRAY_END") or stripped.startswith("#"):
            self.out.append(line)
            if stripped.startswith("#endif") and not self.of_section:
                self.shared = None
        else:
            if line.startswith("{"):
                self.in_function = True
            elif not line.startswith((" ", "}")):
                if self.pending:
                    bare = bare.removeprefix("static inline ")   # documented: for users
                self.document(bare, note and note.group(2))
            self.out.append(bare)

    def member(self, line):
        """A line within a struct or an enum."""
        if line.startswith(("#define", "#undef")):
            return
        note = NOTE.match(line)
        declared, words = (note.group(1), note.group(2)) if note else (line, self.pending)
        self.pending = None
        closing = re.match(r"\}\s*(\w+)?;", line)
        if closing:
            family = self.options.get(closing.group(1))
            if self.of_type:
                self.out.insert(self.place, comment(self.of_type))
            elif family:
                self.out.insert(self.place, comment("Options of " + ", ".join(family) + "."))
            self.place, self.pending, self.shared = None, None, None
            self.out.append(line)
            return
        for pattern, what in OBVIOUS if not words else []:
            found = pattern.search(declared)
            if found:
                words = found.expand(what) if isinstance(what, str) else what(found)
        field = re.match(r"(\s+)((?:const )?\w+) (\*?\w+(?:\[\w+\])?(?:, \*?\w+(?:\[\w+\])?)*);$", declared)
        if field:
            names = field.group(3).split(", ")
            if words:
                self.known.update({name: words for name in names})
            elif names[0] in self.known:
                words = "As above: " + self.known[names[0]]
            elif field.group(2).startswith("garray_"):
                words = f"See {field.group(2)}."
            declared = "\n".join(f"{field.group(1)}{field.group(2)} {name}; @" for name in names).rstrip(" @")
        trailing = f" /**< {escape(words)} */" if words else ""
        self.out.append(declared.replace(" @\n", trailing + "\n") + trailing)


class CppFilter:
    """The same for headers in C++, whose comments are those of lines. What a class or a namespace declares without a comment is
    documented by the function of C that it calls, as all values are, or as its neighbours or its section."""
    VALUES = [
        (re.compile(r"^(constexpr )?(explicit )?(\w+)\((const \3 &|\3 &&|)\w*\)|operator=\(|^~|\bswap\("), "As of all values."),
        (re.compile(r"\boperator (const )?(garray_\w+)[ *&]*\(\)"), r"As a \2, for functions of C."),
        (re.compile(r"\bostream &operator<<"), "Prints it."),
        (re.compile(r"\boperator(\*|->|\+\+|--|==|!=|<|>|<=|>=)\("), "As of all values and iterators."),
        (re.compile(r"\b(begin|end)\(\)"), "For loops over all elements."),
        (re.compile(r"\bsize\(\)"), "How many there are."),
        (re.compile(r"\bdata\(\)"), "The first of them."),
        (re.compile(r"\bget\(\)"), "The handle, for functions of C."),
        (re.compile(r"\bndim\(\)"), "The number of axes."),
        (re.compile(r"\bshape\(int"), "The length of an axis."),
        (re.compile(r"\bdevice\(\)"), "The device."),
        (re.compile(r"\bis_cpu\(\)"), "Whether it is the CPU."),
        (re.compile(r"^struct (\w+)_result\b"), r"What \1() returns."),
        (re.compile(r"^(std::vector<array>|array) [\w, ]+;"), "A result."),
        (re.compile(r"^(explicit )?\w+\("), "Made of what is given."),
    ]

    def __init__(self, path):
        self.lines = path.read_text().split("\n")
        self.path, self.out = path, []
        self.scopes = []            # what the open braces belong to: "named" if its declarations are for users
        self.comment, self.shared, self.section = [], None, None
        self.statement = ""         # so far

    def whole(self, i):
        """The statement that begins on line i."""
        text, depth = "", 0
        for line in self.lines[i:i + 40]:
            code = re.sub(r'"[^"]*"|//.*', "", line)
            text += " " + code.strip()
            depth += code.count("{") - code.count("}")
            if depth <= 0 and code.rstrip().endswith((";", "}")):
                break
        return text.strip()

    def words(self, i, line):
        """The comment of the declaration that begins on line i."""
        note = re.search(r"[;{}] // (.*)$", line)
        if self.comment or note:
            self.shared = note.group(1) if note else "\n".join(self.comment)
            return self.shared
        text = self.whole(i)
        head, _, body = text.partition("{")
        bare = re.sub(r"^(template <.*?> )?((inline|static|friend|constexpr) )*", "", head)
        called = re.search(r"\b(?:call\()?(garray_[a-z]\w*)[(,)]", body)
        for pattern, what in self.VALUES:
            found = pattern.search(bare)
            if found:
                return found.expand(what)
        if called:
            return f"As {called.group(1)}()."
        return self.shared or self.section

    def declarations(self, line):
        """A line with several declarations, or one that a macro makes, as a line each."""
        made = re.match(r"GARRAY__OPERATOR\((\S+), (\w+)\)", line)
        several = re.match(r"(\s+array) (\w+), (\w+);$", line)
        if made:
            symbol, name = made.groups()
            operands = "x" if name in ("negative", "positive", "bitwise_invert") else "a, const operand &b"
            return [f"/** As garray_{name}(). */", f"inline array operator {symbol}(const operand &{operands});"]
        if several:
            return [f"{several.group(1)} {name}; /**< A result. */" for name in several.group(2, 3)]
        return [re.sub(r"((?:bool_|[a-z]+\d+) = GARRAY_(\w+)),", r"\1; /** A dtype of NumPy's. */ inline constexpr dtype", line)]

    def run(self):
        macro = False
        for i, line in enumerate(self.lines):
            stripped = line.strip()
            if macro or stripped.startswith(("#define GARRAY__", "#undef")):
                macro = stripped.endswith("\\")
                continue
            if stripped.startswith("GARRAY__"):
                self.out += self.declarations(stripped) if "OPERATOR" in stripped else []
                continue
            if stripped.startswith("//"):
                self.comment.append(stripped[2:].removeprefix(" "))
                continue
            section = re.match(r"---- (.*?) ----$", self.comment[0]) if self.comment else None
            if section:
                self.section, self.shared, self.comment = "\n".join([section.group(1) + "."] + self.comment[1:]), None, []
            elif self.comment and self.comment[0].startswith("SPDX"):
                self.out.append(comment("\n".join(self.comment[1:]), f"@file {self.path.name}\n * "))
                self.comment = []
            if not stripped or stripped.startswith("#"):
                self.comment, self.shared = [], None
                self.out.append(line)
                continue
            named = all(scope == "named" for scope in self.scopes)
            if named and not self.statement and not re.match(r"\}|\w+:$|namespace |static_assert", stripped):
                words = self.words(i, line)
                if words:
                    self.out.append(comment(words))
            self.comment = []
            code = re.sub(r"\"[^\"]*\"|'[^']*'|//.*", "", line)
            if stripped == "private:":
                self.scopes[-1] = "hidden"
            for char in code:
                if char == "{":
                    kind = re.match(r"\s*(template <.*> ?)?(namespace(?! detail)|class|struct)\b", self.statement)
                    self.scopes.append("named" if kind and "(" not in self.statement.split("<")[0] else "hidden")
                    self.statement = ""
                elif char == "}":
                    self.scopes.pop()
                    self.statement = ""
                elif char == ";":
                    self.statement = ""
                elif char.strip() or self.statement:
                    self.statement += char
            if stripped in ("public:", "private:"):
                self.statement = ""
            if self.statement:
                self.statement += " "
            self.out += self.declarations(line)
        return "\n".join(self.out)


def main(args):
    if not args or args[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if args else 2
    path = pathlib.Path(args[0])
    sys.stdout.write((Filter if path.suffix == ".h" else CppFilter)(path).run())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
