"""Facts from the syntax tree of a program, which is never executed.

The tree hash is a sha-256 of the tree in which names chosen by the author (locals, arguments, functions, classes,
attributes the program itself sets) are numbered in order of appearance, docstrings, annotations and formatting are
dropped and constants are kept. Names of the contract and of libraries stay. Shingles are hashes of each 8 successive
pieces of that text without the numbers, so that what is inserted changes only its own neighbourhood.
"""
import ast
import hashlib
import io
import tokenize
import zlib

CONTRACT = frozenset("reset step solution close max_turns constant seed action tools state instructions criteria".split())
SKIPPED_FIELDS = frozenset(("annotation", "asname", "returns", "type_comment", "type_ignores", "ctx", "kind", "type_params"))


SHINGLE = 8
MAX_SHINGLES = 1024
MAX_CODE = 1 << 16


class SyntaxProblem(Exception):
    """The program cannot be parsed; the text names the line."""


def _own(name):
    return name not in CONTRACT and not (name.startswith("__") and name.endswith("__")) and not name.startswith("tool_")


class _Bound(ast.NodeVisitor):
    """Names and attributes that the program binds, and what its imports stand for."""

    def __init__(self):
        self.names, self.attributes, self.imports = set(), set(), {}

    def visit(self, node):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self.names.add(node.id)
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            self.attributes.add(node.attr)
        elif isinstance(node, ast.arg):
            self.names.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.names.add(node.name)
            if isinstance(node, ast.ClassDef):
                self._class_body(node)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self.names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        self.generic_visit(node)

    def _class_body(self, node):
        for item in node.body:
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.attributes.add(item.name)
            targets = item.targets if isinstance(item, ast.Assign) else [item.target] if isinstance(item, ast.AnnAssign) else []
            self.attributes.update(target.id for target in targets if isinstance(target, ast.Name))

    def _import(self, node):
        for alias in node.names:
            if isinstance(node, ast.Import):
                self.imports[alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else alias.name.split(".")[0]
            else:
                self.imports[alias.asname or alias.name] = "%s.%s" % (node.module, alias.name)


class _Normaliser:
    """Writes the tree as text, names numbered in order of appearance."""

    def __init__(self, bound, numbers=True):
        self.bound, self.numbers, self.numbered, self.parts = bound, numbers, {}, []

    def _number(self, space, name):
        if not self.numbers:
            return space
        return "%s%d" % (space, self.numbered.setdefault((space, name), len(self.numbered)))

    def name(self, name):
        if name in self.bound.imports:
            return self.bound.imports[name]
        return self._number("v", name) if name in self.bound.names and _own(name) else name

    def attribute(self, name):
        return self._number("a", name) if name in self.bound.attributes and _own(name) else name

    def write(self, node, inside_class=False):
        parts = self.parts
        if isinstance(node, ast.AnnAssign):
            if node.value is None:
                return
            node = ast.Assign(targets=[node.target], value=node.value)
        parts.append("(" + type(node).__name__)
        for field in node._fields:
            value = getattr(node, field, None)
            if field in SKIPPED_FIELDS or value is None or value == []:
                continue
            parts.append(" " + field + "=")
            self._field(node, field, value, inside_class)
        parts.append(")")

    def _field(self, node, field, value, inside_class):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and field == "name":
            self.parts.append(self.attribute(value) if inside_class else self.name(value))
        elif field in ("id", "arg") or (isinstance(node, ast.ExceptHandler) and field == "name"):
            self.parts.append(self.name(value))
        elif field == "attr":
            self.parts.append(self.attribute(value))
        elif isinstance(value, ast.AST):
            self.write(value)
        elif isinstance(value, list):
            if field == "body" and isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                value = _without_docstring(value)
            for item in value:
                if isinstance(item, ast.AST):
                    self.write(item, isinstance(node, ast.ClassDef))
                elif isinstance(item, str) and isinstance(node, (ast.Global, ast.Nonlocal)):
                    self.parts.append(self.name(item) + " ")
                else:
                    self.parts.append(repr(item))
        else:
            self.parts.append(repr(value))


def _without_docstring(body):
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return body[1:]
    return body


def _module_level(tree):
    """Statements that run at module level, those inside if, try, with and loops included."""
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, (ast.stmt, ast.ExceptHandler)):
                    waiting.append(child)


def _is_true(item):
    if isinstance(item, ast.Assign):
        targets, value = item.targets, item.value
    elif isinstance(item, ast.AnnAssign):
        targets, value = [item.target], item.value
    else:
        return False
    named = any(isinstance(target, ast.Name) and target.id == "constant" for target in targets)
    return named and isinstance(value, ast.Constant) and value.value is True


def _shingles(tree, bound):
    """The smallest hashes of all shingles: two programs' shares of equal ones estimate how alike they are."""
    normaliser = _Normaliser(bound, numbers=False)
    normaliser.write(tree)
    parts = [part.encode("utf-8", "surrogatepass") for part in normaliser.parts if part != ")"]
    count = max(1, len(parts) - SHINGLE + 1)
    hashes = {zlib.crc32(b"\0".join(parts[i : i + SHINGLE])) for i in range(count)}
    return sorted(hashes)[:MAX_SHINGLES]


def _code(source):
    """The source outside string literals and comments: runs of text between them, at most 64 Ki characters in all."""
    lines = io.StringIO(source).readlines()
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    runs, position, opened = [], 0, 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            name = tokenize.tok_name[token.type]
            begin = starts[token.start[0] - 1] + token.start[1]
            end = starts[min(token.end[0] - 1, len(lines))] + token.end[1]
            if name in ("STRING", "COMMENT", "FSTRING_START") and opened == 0:
                runs.append(source[position:begin])
                position = end
            opened += (name == "FSTRING_START") - (name == "FSTRING_END")
            if name in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END") or opened:
                position = max(position, end)
    except (tokenize.TokenError, IndentationError):
        pass
    runs.append(source[position:])
    kept, left = [], MAX_CODE
    for run in runs:
        run = run.strip()[:left]
        if run:
            kept.append(run)
            left -= len(run)
    return kept


def parse(source, details=False):
    """Facts of every program; with `details` also what the leak and near-duplicate checks compare."""
    try:
        tree = ast.parse(source, "<program>")
        classes = [n for n in _module_level(tree) if isinstance(n, ast.ClassDef) and n.name.endswith("Env")]
        imports = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                imports.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                imports.add((node.module or "").split(".")[0] or ".")
        bound = _Bound()
        bound.visit(tree)
        normaliser = _Normaliser(bound)
        normaliser.write(tree)
    except SyntaxError as error:
        raise SyntaxProblem("line %s: %s" % (error.lineno, error.msg))
    except ValueError as error:  # null bytes
        raise SyntaxProblem("line 1: %s" % error)
    except RecursionError:
        raise SyntaxProblem("line 1: nested too deeply")
    facts = {"code": _code(source), "shingles": _shingles(tree, bound)} if details else {}
    return {
        **facts,
        "environments": [node.name for node in classes],
        "treeHash": hashlib.sha256("".join(normaliser.parts).encode("utf-8", "surrogatepass")).hexdigest(),
        "imports": sorted(imports),
        "constant": any(_is_true(item) for node in classes for item in node.body),
    }
