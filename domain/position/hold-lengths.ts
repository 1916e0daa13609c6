/** Seconds that begin groups of trades by holding time, after 0. */
export const HOLD_STEPS_SECONDS = [300, 1_800, 7_200, 86_400, 432_000] as const
