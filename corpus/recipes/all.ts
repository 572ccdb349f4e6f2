/** Every recipe, in the order of the index. */
import { closure } from "./ask/closure.ts";
import { expectations } from "./ask/expectations.ts";
import { pieceChecks } from "./ask/pieces.ts";
import { policy } from "./ask/policy.ts";
import { signatures } from "./ask/signatures.ts";
import type { Recipe } from "./case.ts";
import { architecture } from "./corrupt/architecture.ts";
import { auxiliary } from "./corrupt/auxiliary.ts";
import { blobs } from "./corrupt/blobs.ts";
import { big } from "./big.ts";
import { large } from "./large.ts";
import { cborFaults } from "./corrupt/cbor.ts";
import { header } from "./corrupt/header.ts";
import { sections } from "./corrupt/sections.ts";
import { schema } from "./corrupt/schema.ts";
import { layout } from "./corrupt/layout.ts";
import { manifestRules } from "./corrupt/manifest_rules.ts";
import { operationFaults } from "./corrupt/operations.ts";
import { payload } from "./corrupt/payload.ts";
import { relations } from "./corrupt/relations.ts";
import { quant } from "./corrupt/quant.ts";
import { strings } from "./corrupt/strings.ts";
import { tensorFaults } from "./corrupt/tensors.ts";
import { tokenizerBlobs } from "./corrupt/tokenizer_blobs.ts";
import { text } from "./corrupt/text.ts";
import { identity } from "./identity.ts";
import { itemOrder } from "./order/items.ts";
import { tableOrder } from "./order/tables.ts";
import { adapters } from "./valid/adapters.ts";
import { bindings } from "./valid/bindings.ts";
import { cbor } from "./valid/cbor.ts";
import { families } from "./valid/families.ts";
import { models } from "./valid/models.ts";
import { tokenizers } from "./valid/tokenizers.ts";
import { tensors } from "./valid/tensors.ts";

export const RECIPES: readonly Recipe[] = [
  ...families,
  ...cbor,
  ...tensors,
  ...models,
  ...tokenizers,
  adapters,
  ...bindings,
  ...header,
  ...sections,
  ...cborFaults,
  ...text,
  ...schema,
  ...manifestRules,
  ...relations,
  ...strings,
  ...quant,
  ...tensorFaults,
  ...blobs,
  ...auxiliary,
  ...layout,
  ...architecture,
  operationFaults,
  ...payload,
  ...tokenizerBlobs,
  ...expectations,
  ...closure,
  ...pieceChecks,
  ...signatures,
  ...policy,
  ...tableOrder,
  ...itemOrder,
  identity,
  ...large,
  ...big,
];
