/** Dispatches, and how they go into one pass. */

/** A pipeline and what is bound to it, for one dispatch over any number of tokens. */
export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindings: GPUBindGroup;
  readonly groups: (tokens: number) => readonly [x: number, y: number, z: number];
}

/** Encodes dispatches into one pass, in order: each sees what those before it wrote. */
export function encodePass(
  encoder: GPUCommandEncoder,
  dispatches: Iterable<Dispatch>,
  tokens = 1,
): void {
  const pass = encoder.beginComputePass();
  for (const { pipeline, bindings, groups } of dispatches) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(...groups(tokens));
  }
  pass.end();
}
