/** What the host calls. Addresses are unsigned, though the host may see them signed. */
export { add, attention, rmsNorm, rope, softmax, swiglu } from "./ops";
export { multiply, multiplyAll, prepare, roomFor, setRoom } from "./multiply";
export { forward } from "./forward";
export { pack, packRow } from "./pack";

/** Where memory that the kernels leave alone begins. */
export function heapBase(): usize {
  return __heap_base;
}
