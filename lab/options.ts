/** Option values that several commands take, read strictly. */
import { InvalidArgumentError } from "commander";
import { type LimitName, LIMITS, type Policy } from "../readers/contract.ts";

/** A whole number of at least `least`, up to 2^53 - 1. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(
        `a whole number from ${least} to ${Number.MAX_SAFE_INTEGER} is expected.`,
      );
    }
    return value;
  };
}

/**
 * Processes that work at once: each keeps a core busy and holds some hundred MiB, so more than a few a
 * core are a slip of the hand that costs the machine its memory.
 */
export function workerCount(text: string): number {
  const value = wholeNumber(1)(text), most = 4 * navigator.hardwareConcurrency;
  if (value <= most) return value;
  throw new InvalidArgumentError(
    `a whole number from 1 to ${most} is expected: four a core of this machine.`,
  );
}

/** A finite decimal number of at least `least` and at most `most`. */
export function decimal(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+(\.\d+)?$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`a number from ${least} to ${most} is expected, as 0.8.`);
    }
    return value;
  };
}

/** `1,2,3` */
export function wholeNumbers(text: string): number[] {
  const values = text.split(",").map((one) => /^\d+$/.test(one) ? Number(one) : NaN);
  const wrong = values.findIndex((value) => !Number.isSafeInteger(value));
  if (wrong === -1) return values;
  throw new InvalidArgumentError(
    `whole numbers are expected, as 1,2,3; number ${wrong + 1} of the list is none.`,
  );
}

/** 64 lowercase hexadecimal digits. */
export function digest(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new InvalidArgumentError("64 lowercase hexadecimal digits are expected.");
  }
  return text;
}

/** Collects `limit=value` into a policy (slm2.md section 4). */
export function policyLimit(text: string, before: Policy): Policy {
  const [name, value, ...rest] = text.split("=");
  if (!(LIMITS as readonly string[]).includes(name) || value === undefined || rest.length > 0) {
    throw new InvalidArgumentError(`limit=value is expected; limits: ${LIMITS.join(" ")}.`);
  }
  return { ...before, [name as LimitName]: wholeNumber(0)(value) };
}

/** Collects a repeated option into a list. */
export function repeated(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
