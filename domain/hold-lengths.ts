/** Lengths of a hold by which trades are told apart, in seconds: each group begins with one of these, the first with 0. */
export const HOLD_STEPS_SECONDS = [300, 1_800, 7_200, 86_400, 432_000] as const
