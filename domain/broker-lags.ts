/** Lags between a broker's answers; all in milliseconds. */

/** For which positions mostly lack a fill. A step that is tried again, such as an exit, waits for no longer. */
export const POSITION_LAG_MS = 5_000
/** For which they may lack one. A single decision, such as a close, a target or a limit, reckons with it. */
export const MAX_POSITION_LAG_MS = 15_000
export const POSITION_LOOK_EVERY_MS = 2_000
/** For which an accepted order need not show; after it the order counts as unconfirmed, and protects nothing. */
export const ORDER_SHOWN_WITHIN_MS = 20_000
/** For which an order is asked for before the service ends it, or gives it up, of itself. */
export const HIDDEN_ORDER_PATIENCE_MS = 60_000
