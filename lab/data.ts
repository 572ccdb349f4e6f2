/**
 * Reference data that may not be committed (real models, vocabularies, published vectors).
 * Tests find it through `SLMLAB_DATA`, and name what they skip where it is absent; in CI it
 * must be there.
 */

const ROOT = new URL("../", import.meta.url);

/** The data folder, as a URL that ends in a slash, or null where there is none. */
export function dataFolder(): URL | null {
  const given = Deno.env.get("SLMLAB_DATA") ?? "../shared/data";
  const folder = new URL(given.replace(/\/*$/, "/"), ROOT);
  try {
    return Deno.statSync(folder).isDirectory ? folder : null;
  } catch {
    return null;
  }
}

/**
 * `Deno.test` for a test that needs reference data: ignored, under a name that says what is
 * missing, where the folder is absent; a failure instead in CI (`CI=true`).
 */
export function dataTest(name: string, fn: (data: URL) => void | Promise<void>): void {
  const folder = dataFolder();
  if (folder === null && Deno.env.get("CI") !== "true") {
    Deno.test({ name: `${name} [skipped: no SLMLAB_DATA]`, ignore: true, fn() {} });
    return;
  }
  Deno.test(name, () => {
    if (folder === null) throw new Error("SLMLAB_DATA is not there, and in CI nothing is skipped");
    return fn(folder);
  });
}
