/** By how much the answers of a broker lag behind each other, and what is done about it; all in milliseconds. */

/** For which the positions that a broker shows mostly lack a fill. What is tried again, such as an exit, waits for no longer. */
export const POSITION_LAG_MS = 5_000
/** For which they may lack one. What is decided once, such as a close, a target or a limit, reckons with that. */
export const MAX_POSITION_LAG_MS = 15_000
/** Between two looks at a position that the broker does not show yet. */
export const POSITION_LOOK_EVERY_MS = 2_000
