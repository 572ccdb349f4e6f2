/** A receipt counts only signed by a reviewer, unedited, and for this corpus and specification. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { judgeGate, statementFor } from "./gate.ts";
import { findReceipt, signReceipt } from "./receipt.ts";
import { ALL_LIVE, keepAll, NOW, withFolder } from "./testing.ts";

async function keyPair() {
  const pair = await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const pem = `-----BEGIN PRIVATE KEY-----\n${der.toBase64()}\n-----END PRIVATE KEY-----\n`;
  return { pem, reviewers: { Ada: raw.toHex() } };
}

Deno.test("receipts: signed, edited, stale, by a stranger", () =>
  withFolder(async (folder) => {
    const { pem, reviewers } = await keyPair();
    const said = { id: "E12", statement: statementFor("E12")!, by: "Ada", date: "2026-01-02" };
    const path = `${folder}/E12.json`;
    const why = async (now = NOW, trusted: Record<string, string> = reviewers) => {
      const found = await findReceipt(folder, "E12", now, trusted);
      return "why" in found ? found.why : "valid";
    };
    assertMatch(await why(), /nobody has signed/);
    const text = JSON.stringify(await signReceipt(said, NOW, pem));
    Deno.writeTextFileSync(path, text);
    assertEquals(await why(), "valid");
    assertMatch(await why({ ...NOW, spec: "7".repeat(64) }), /another specification/);
    assertMatch(await why({ ...NOW, corpus: "7".repeat(64) }), /another corpus/);
    assertMatch(await why(NOW, {}), /nobody in reviewers/);
    assertMatch(await why(NOW, (await keyPair()).reviewers), /does not verify/);
    Deno.writeTextFileSync(path, text.replace("2026-01-02", "2026-01-03"));
    assertMatch(await why(), /does not verify/);
    Deno.writeTextFileSync(path, "{}");
    assertMatch(await why(), /is none/);
  }));

Deno.test("a receipt turns waiting into held; it never stands for a record", () =>
  withFolder(async (folder) => {
    const { pem, reviewers } = await keyPair();
    keepAll(folder);
    const sign = async (id: string, statement = statementFor(id)!) =>
      Deno.writeTextFileSync(
        `${folder}/receipts/${id}.json`,
        JSON.stringify(
          await signReceipt({ id, statement, by: "Ada", date: "2026-01-02" }, NOW, pem),
        ),
      );
    Deno.mkdirSync(`${folder}/receipts`);
    await sign("E12");
    await sign("E11");
    const judge = () =>
      judgeGate({
        now: NOW,
        records: folder,
        receipts: `${folder}/receipts`,
        live: { judgements: ALL_LIVE, disagreement: false },
        reviewers,
      });
    const state = async (id: string) =>
      (await judge()).evidence.find((one) => one.id === id)?.state;
    assertEquals([await state("E12"), await state("E11")], ["held", "held"]);
    await sign("E12", "something else");
    assertEquals(await state("E12"), "waiting");
    Deno.removeSync(`${folder}/pieces.json`);
    assertEquals(await state("E11"), "missing");
    assert(await state("E13") === "waiting");
  }));
