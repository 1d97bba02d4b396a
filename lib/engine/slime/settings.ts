/**
 * Settings of slime under which its loss is SPADE's (engines.md section 4.2): another estimator, ratio or temperature
 * would train something else without a word, so a run refuses them by name.
 * @module
 */

/** By slime's argument: its value, and how to get that on its command line. */
const needed: Record<string, [value: unknown, flag: string]> = {
  advantage_estimator: ["grpo", "--advantage-estimator grpo"],
  loss_type: ["policy_loss", "--loss-type policy_loss"],
  rewards_normalization: [false, "--disable-rewards-normalization"],
  normalize_advantages: [false, "no --normalize-advantages"],
  use_tis: [true, "--use-tis"],
  tis_clip: [2, "--tis-clip 2"],
  tis_clip_low: [0, "--tis-clip-low 0"],
  eps_clip: [0.2, "--eps-clip 0.2"],
  eps_clip_high: [0.28, "--eps-clip-high 0.28"],
  eps_clip_c: [null, "no --eps-clip-c"],
  kl_coef: [0, "--kl-coef 0"],
  kl_loss_coef: [0, "--kl-loss-coef 0"],
  entropy_coef: [0, "--entropy-coef 0"],
  calculate_per_token_loss: [false, "no --calculate-per-token-loss"],
  use_rollout_logprobs: [false, "no --use-rollout-logprobs"],
  use_opsm: [false, "no --use-opsm"],
  use_opd: [false, "no --use-opd"],
  rollout_top_p: [1, "--rollout-top-p 1"],
  custom_advantage_function_path: [null, "no --custom-advantage-function-path"],
  custom_tis_function_path: [null, "no --custom-tis-function-path"],
  custom_pg_loss_reducer_function_path: [null, "no --custom-pg-loss-reducer-function-path"],
  custom_reward_post_process_path: [null, "no --custom-reward-post-process-path"],
  custom_convert_samples_to_train_data_path: [
    null,
    "no --custom-convert-samples-to-train-data-path",
  ],
};

/** Arguments of slime that its bridge reports. */
export const slimeSettings: readonly string[] = [...Object.keys(needed), "rollout_temperature"];

/**
 * What is wrong with slime's settings, one sentence each; what a version of slime does not have is not asked for.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const settings = { use_tis: true, rollout_temperature: 0.6 };
 * assert.deepEqual(wrongSettings(settings, { temperature: 1 }), [
 *   "rollout_temperature is 0.6: start slime with --rollout-temperature 1",
 * ]);
 * ```
 */
export function wrongSettings(
  settings: Readonly<Record<string, unknown>>,
  run: { temperature: number },
): string[] {
  const all = {
    ...needed,
    rollout_temperature: [run.temperature, `--rollout-temperature ${run.temperature}`],
  };
  return Object.entries(all).flatMap(([name, [value, flag]]) => {
    const given = settings[name];
    if (given === undefined || given === value) return [];
    return [`${name} is ${JSON.stringify(given)}: start slime with ${flag}`];
  });
}
