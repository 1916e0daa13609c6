import type { Flattening } from '#db/flatten/flattenings.ts'
import type { FlattenLine } from '#db/flatten/lines.ts'
import type { FlattenAnswer } from '#contract/flatten/answers.ts'

export const presentFlatten = (
  { id, status, cause, reason, openings, createdAt, endedAt }: Flattening,
  lines: readonly FlattenLine[],
): FlattenAnswer => ({
  id,
  status,
  cause,
  reason,
  createdAt,
  endedAt,
  left: Object.entries(openings).flatMap(([accountId, ofAccount]) =>
    ofAccount.map((opening) => ({ accountId, ...opening })),
  ),
  lines: lines.map(({ accountId, symbol, side, quantity, status: standing, orderId, detail }) => ({
    accountId,
    symbol,
    side,
    quantity: Number(quantity),
    status: standing,
    orderId,
    detail,
  })),
})
