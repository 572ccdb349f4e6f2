/**
 * Stands in for `@std/assert` where its registry cannot be reached: the functions that the
 * tests use, with the same signatures, over `node:assert`. One line of the import map
 * (`deno.json`) swaps in the real one.
 */
import nodeAssert from "node:assert/strict";

export function assert(expr: unknown, msg = ""): asserts expr {
  nodeAssert.ok(expr, msg || "assertion failed");
}

/** Deep equality of values, typed arrays, maps and sets included. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  try {
    nodeAssert.deepStrictEqual(actual, expected);
  } catch (error) {
    if (msg === undefined || !(error instanceof Error)) throw error;
    throw new nodeAssert.AssertionError({ message: `${msg}\n${error.message}` });
  }
}

export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  nodeAssert.notDeepStrictEqual(actual, expected, msg!);
}

export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  nodeAssert.match(actual, expected, msg!);
}

export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  nodeAssert.ok(
    actual.includes(expected),
    msg ?? `expected ${JSON.stringify(actual)} to contain ${JSON.stringify(expected)}`,
  );
}

// deno-lint-ignore no-explicit-any -- the signature of the original
type ErrorClass<E extends Error> = new (...args: any[]) => E;

/** Runs `fn`, which must throw an `ErrorClass` whose message contains `msgIncludes`. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass?: ErrorClass<E>,
  msgIncludes = "",
): E {
  try {
    fn();
  } catch (error) {
    return checkError(error, ErrorClass, msgIncludes);
  }
  throw new nodeAssert.AssertionError({ message: "expected a throw" });
}

/** As `assertThrows`, of a promise. */
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass?: ErrorClass<E>,
  msgIncludes = "",
): Promise<E> {
  try {
    await fn();
  } catch (error) {
    return checkError(error, ErrorClass, msgIncludes);
  }
  throw new nodeAssert.AssertionError({ message: "expected a rejection" });
}

function checkError<E extends Error>(
  error: unknown,
  ErrorClass: ErrorClass<E> | undefined,
  msgIncludes: string,
): E {
  nodeAssert.ok(error instanceof (ErrorClass ?? Error), `another error: ${error}`);
  assertStringIncludes(error.message, msgIncludes);
  return error as E;
}
