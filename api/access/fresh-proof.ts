/** Milliseconds for which a proof counts as fresh. */
const FRESH_FOR_MS = 5 * 60_000

/** Whether somebody has proven who they are within the last minutes. */
export const isFreshProof = (provenAt: Date | null): boolean =>
  provenAt !== null && Date.now() - provenAt.getTime() <= FRESH_FOR_MS
