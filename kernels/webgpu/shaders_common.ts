/** Pieces of WGSL that several kernels share. */

/** Threads of a workgroup; also what a reduction has in shared memory. */
export const THREADS = 64;

export const INDEX = `
fn flat(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
  return (group.y * groups.x + group.x) * ${THREADS}u + thread;
}`;

/** Entry of a kernel over single elements: `i` is the element. */
export const ELEMENTWISE = (body: string) =>
  `${INDEX}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let i = flat(group, groups, thread);
  ${body}
}`;

/** `exp` within two units in the last place, by Cody and Waite's reduction and a Taylor sum. */
export const EXP = `
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn infinity() -> f32 { var bits = 0x7f800000u; return bitcast<f32>(bits); }
fn power_of_two(k: i32) -> f32 { return bitcast<f32>(u32(k + 127) << 23u); }
fn exp_exactly(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  if (x > 89.0) { return infinity(); }
  if (x < -104.0) { return 0.0; }
  let k = floor(x * 1.44269504 + 0.5);
  let r = (x - k * 0.693359375) + k * 2.12194440e-4;
  let tail = 1.98412698e-4 * r + 1.38888889e-3;
  let sum = ((((tail * r + 8.33333333e-3) * r + 4.16666667e-2) * r + 1.66666667e-1) * r + 0.5) * r * r + r;
  let half = i32(k) / 2;
  return (sum + 1.0) * power_of_two(half) * power_of_two(i32(k) - half);
}`;

/** Sum or maximum over a workgroup: every thread gets it. */
export const REDUCE = `
var<workgroup> shared_values: array<f32, ${THREADS}>;
fn sum_all(mine: f32, thread: u32) -> f32 {
  workgroupBarrier();
  shared_values[thread] = mine;
  workgroupBarrier();
  var total = 0.0;
  for (var t = 0u; t < ${THREADS}u; t++) { total += shared_values[t]; }
  return total;
}
fn max_all(mine: f32, thread: u32) -> f32 {
  workgroupBarrier();
  shared_values[thread] = mine;
  workgroupBarrier();
  var most = shared_values[0];
  for (var t = 1u; t < ${THREADS}u; t++) { if (shared_values[t] > most) { most = shared_values[t]; } }
  return most;
}`;
