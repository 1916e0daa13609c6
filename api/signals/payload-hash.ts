import { createHash } from 'node:crypto'
import { inKeyOrder } from '../http/key-order.ts'
import type { SignalRequest } from '#contract/signals/schema.ts'

/** Two spellings of one wish (10 and "10", a default given or left out) hash alike; whether to replace is no part of the wish. */
export function payloadHashOf(request: SignalRequest): string {
  const { replaceExisting: _, dryRun: __, advisories: ___, overdue: ____, groupId: _____, ...wish } = request
  return createHash('sha256')
    .update(JSON.stringify(inKeyOrder(wish)))
    .digest('hex')
}
