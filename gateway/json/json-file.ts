import { printParseErrorCode, visit, type JSONVisitor, type ParseErrorCode } from 'jsonc-parser';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function without(object: JsonObject, ...keys: string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

export type Parsed = { value: unknown } | { problems: string[] };

/** Strict JSON in UTF-8. A problem begins with its line and column: `4:12: …`. A repeated key is a problem. */
export function parseJsonFile(bytes: Uint8Array): Parsed {
  const text = decoded(bytes);
  if (text === undefined) return { problems: ['1:1: not UTF-8'] };
  const problems = syntaxProblems(text);
  return problems.length > 0 ? { problems } : { value: JSON.parse(text) };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Functions that walk over a file recurse once a level, the parser too, so deeper levels are rejected. */
const DEEPEST = 100;
const TOO_DEEP = new Error(`nested deeper than ${DEEPEST} levels`);

function syntaxProblems(text: string): string[] {
  const problems: string[] = [];
  const keys: Set<string>[] = [];
  let failed = false;
  let depth = 0;
  const at = (line: number, column: number, problem: string) => problems.push(`${line + 1}:${column + 1}: ${problem}`);
  const deepen = (_offset: number, _length: number, line: number, column: number) => {
    if (++depth <= DEEPEST) return;
    at(line, column, TOO_DEEP.message);
    throw TOO_DEEP;
  };
  const visitor: JSONVisitor = {
    onObjectBegin(offset, length, line, column) {
      keys.push(new Set());
      deepen(offset, length, line, column);
    },
    onObjectEnd() {
      keys.pop();
      depth--;
    },
    onArrayBegin: deepen,
    onArrayEnd: () => { depth--; },
    onObjectProperty(key, _offset, _length, line, column) {
      if (keys.at(-1)?.has(key)) at(line, column, `the key ${JSON.stringify(key)} stands twice`);
      keys.at(-1)?.add(key);
    },
    // The first one; others only follow from it.
    onError: (error, _offset, _length, line, column) => { if (!failed) failed = at(line, column, inWords(error)) > 0; },
  };
  try {
    visit(text, visitor, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (error !== TOO_DEEP) throw error;
  }
  return problems;
}

/** `PropertyNameExpected` is "property name expected". */
function inWords(error: ParseErrorCode): string {
  return printParseErrorCode(error).replace(/(?!^)[A-Z]/g, letter => ` ${letter}`).toLowerCase();
}
