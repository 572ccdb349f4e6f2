/**
 * The pass that makes code say where it has been. At every place where control can part, a
 * counter of its own in a dense `Uint8Array` is raised; a second level also tells the operands
 * of comparisons. Text is only ever inserted, so what stood there runs as it stood.
 *
 * Chosen by measurement over hashed maps, istanbul and V8's own coverage: dense counters are the
 * only feedback that can be read and cleared at every execution for under three times the cost.
 */
import { type AnyNode, type Expression, type Node, parse, type Statement } from "acorn";
import { type Edge, NAMES } from "./load.ts";

/** What a build tells: where it went, or also what it compared. */
export type Level = "edges" | "compares";

export interface Instrumented {
  readonly code: string;
  /** what each counter counts; counter `edges[i]` is called `counterName(tag, i)` in the code */
  readonly edges: readonly Edge[];
}

/** Comparisons whose operands say what an input should have held. */
const COMPARED = new Set(["===", "!==", "==", "!=", "<", ">", "<=", ">="]);

/** The name under which code has counter `i` of module `tag`, until `numbered` knows its number. */
const counterName = (tag: number, i: number): string => `$${tag}$${i}`;

/** Puts numbers for the names of counters: module `tag` has those from `firsts[tag]` on. */
export function numbered(code: string, firsts: readonly number[]): string {
  return code.replace(/\$(\d+)\$(\d+)\b/g, (_, tag, i) => String(firsts[tag] + Number(i)));
}

/**
 * Instruments one module of plain JavaScript.
 * @param code the module, without types
 * @param file its name in the table of edges
 * @param tag tells its counters from those of other modules
 * @throws SyntaxError where `code` is no module
 */
export function instrument(code: string, file: string, tag: number, level: Level): Instrumented {
  const pass = new Pass(code, file, tag, level);
  pass.visit(parse(code, { ecmaVersion: "latest", sourceType: "module" }) as AnyNode, null);
  return { code: pass.text(), edges: pass.edges };
}

/**
 * Puts a clock around what a module exports: its functions, and the public methods of its classes.
 * @throws SyntaxError where `code` is no module
 */
export function timedCode(code: string): string {
  const { body } = parse(code, { ecmaVersion: "latest", sourceType: "module" });
  const exported = new Set<string>();
  for (const node of body) {
    if (node.type !== "ExportNamedDeclaration") continue;
    for (const { local } of node.specifiers) {
      if (local.type === "Identifier") exported.add(local.name);
    }
  }
  const bodies = body.flatMap((node) => {
    const declared = node.type === "ExportNamedDeclaration" ? node.declaration : node;
    const isFunction = declared?.type === "FunctionDeclaration";
    if (!isFunction && declared?.type !== "ClassDeclaration") return [];
    if (declared === node && !exported.has(declared.id?.name ?? "")) return [];
    if (isFunction) return [declared.body];
    return declared.body.body.flatMap((one) =>
      one.type === "MethodDefinition" && one.kind === "method" && one.key.type === "Identifier"
        ? one.value.body
        : []
    );
  });
  let timed = code;
  for (const { start, end } of bodies.toSorted((a, b) => b.start - a.start)) {
    timed = `${timed.slice(0, start)}{ ${NAMES.enter}(); try ${timed.slice(start, end)} ` +
      `finally { ${NAMES.leave}(); } }${timed.slice(end)}`;
  }
  return timed;
}

class Pass {
  readonly edges: Edge[] = [];
  /** insertions by position: what closes something stands before what opens something */
  readonly #closing = new Map<number, string>();
  readonly #opening = new Map<number, string>();
  #function = "module";
  #site = 0;

  constructor(
    private readonly code: string,
    private readonly file: string,
    private readonly tag: number,
    private readonly level: Level,
  ) {}

  text(): string {
    const places = [...new Set([...this.#closing.keys(), ...this.#opening.keys()])];
    places.sort((a, b) => a - b);
    const parts: string[] = [];
    let done = 0;
    for (const at of places) {
      parts.push(this.code.slice(done, at), this.#closing.get(at) ?? "");
      parts.push(this.#opening.get(at) ?? "");
      done = at;
    }
    return parts.join("") + this.code.slice(done);
  }

  visit(node: AnyNode, parent: AnyNode | null): void {
    const outer = this.#function;
    this.#mark(node, parent);
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) this.visit(child, node);
      }
    }
    this.#function = outer;
  }

  #mark(node: AnyNode, parent: AnyNode | null): void {
    switch (node.type) {
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        this.#function = nameOf(node, parent) ?? this.#function;
        if (node.body.type === "BlockStatement") this.#block(node.body, "entry");
        else this.#value(node.body, "entry");
        break;
      case "IfStatement":
        if (node.alternate) this.#block(node.alternate, "else");
        else if (!leaves(node.consequent)) {
          this.#after(node.consequent.end, ` else { ${this.#count("else")}; }`);
        }
        this.#block(node.consequent, "then");
        break;
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        this.#block(node.body, "loop");
        break;
      case "CatchClause":
        this.#block(node.body, "catch");
        break;
      case "SwitchCase":
        if (node.consequent.length > 0) {
          this.#before(node.consequent[0].start, `${this.#count("case")}; `);
        }
        break;
      case "LogicalExpression":
        this.#value(node.right, node.operator);
        break;
      case "ConditionalExpression":
        this.#value(node.consequent, "?");
        this.#value(node.alternate, ":");
        break;
      case "SwitchStatement":
        if (this.level === "compares") this.#choice(node);
        break;
      case "BinaryExpression":
        if (this.level === "compares" && tells(node, parent)) this.#compare(node);
        break;
    }
  }

  #count(arm: string): string {
    const name = counterName(this.tag, this.edges.length);
    this.edges.push({ file: this.file, function: this.#function, arm });
    const steps = arm === "loop" && this.level === "edges" ? `, ${NAMES.steps}[0]++` : "";
    return `${NAMES.edges}[${name}]++${steps}`;
  }

  #block(node: Statement, arm: string): void {
    const count = this.#count(arm);
    if (node.type === "BlockStatement") {
      this.#before(node.start + 1, ` ${count};`);
    } else {
      this.#before(node.start, `{ ${count}; `);
      this.#after(node.end, " }");
    }
  }

  #value(node: Expression, arm: string): void {
    this.#before(node.start, `(${this.#count(arm)}, `);
    this.#after(node.end, ")");
  }

  #compare(node: AnyNode & { type: "BinaryExpression" }): void {
    // double brackets: an operand may be a sequence whose own brackets the parser leaves out
    this.#before(node.left.start, `${NAMES.left}(${this.#nextSite()}, (`);
    this.#after(node.left.end, "))");
    this.#before(node.right.start, `${NAMES.right}((`);
    this.#after(node.right.end, "))");
  }

  #choice(node: AnyNode & { type: "SwitchStatement" }): void {
    const literals = node.cases.flatMap(({ test }) => test?.type === "Literal" ? [test.raw] : []);
    this.#before(node.discriminant.start, `${NAMES.choice}(${this.#nextSite()}, [${literals}], (`);
    this.#after(node.discriminant.end, "))");
  }

  #nextSite(): string {
    return JSON.stringify(`${this.file} ${this.#site++}`);
  }

  #before(at: number, text: string): void {
    this.#opening.set(at, (this.#opening.get(at) ?? "") + text);
  }

  /** What is visited first is the outermost and closes last. */
  #after(at: number, text: string): void {
    this.#closing.set(at, text + (this.#closing.get(at) ?? ""));
  }
}

/** Whether what follows a statement runs only where the statement does not: that counts for it. */
function leaves(node: Statement): boolean {
  if (node.type === "BlockStatement") return node.body.length > 0 && leaves(node.body.at(-1)!);
  return node.type === "ReturnStatement" || node.type === "ThrowStatement" ||
    node.type === "ContinueStatement" || node.type === "BreakStatement";
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

/** The name that a function has, or that whatever holds it gives it. */
function nameOf(node: AnyNode, parent: AnyNode | null): string | null {
  const own = (node as { id?: AnyNode | null }).id;
  if (own?.type === "Identifier") return own.name;
  if (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier") {
    return parent.id.name;
  }
  const keyed = parent?.type === "MethodDefinition" || parent?.type === "Property" ||
    parent?.type === "PropertyDefinition";
  if (!keyed) return null;
  const { key } = parent;
  return key.type === "Identifier" || key.type === "PrivateIdentifier" ? key.name : null;
}

/** Whether the operands are worth telling: not a loop's bound, not a type or a missing value. */
function tells(node: AnyNode & { type: "BinaryExpression" }, parent: AnyNode | null): boolean {
  if (!COMPARED.has(node.operator)) return false;
  if (parent?.type === "ForStatement" && parent.test === node) return false;
  return ![node.left as AnyNode, node.right].some((side) =>
    side.type === "UnaryExpression" && (side.operator === "typeof" || side.operator === "void") ||
    side.type === "Identifier" && side.name === "undefined" ||
    side.type === "Literal" && (side.value === null || typeof side.value === "boolean")
  );
}
