import type { RequestKey } from '#db/signals/requests.ts'
import { createHash } from 'node:crypto'
import type { ApiContext } from '../http/context.ts'
import { fault, validationError } from '#contract/errors.ts'
import { keyName } from '../intake/names.ts'
import { inKeyOrder } from '../http/key-order.ts'
import { notFilledIn, placeholderIn } from '#contract/values/placeholders.ts'
import { idempotencyHeaders } from '#contract/orders/schema.ts'

/** Apart from the keys of other tokens of its user. Two spellings of one wish hash alike. Throws {@link ApiError} VALIDATION_ERROR. */
export function readRequestKey(ctx: ApiContext, wish: object): RequestKey | null {
  if (ctx.headers['idempotency-key'] === undefined) return null
  const given = ctx.get('Idempotency-Key')
  const placeholder = placeholderIn(given)
  if (placeholder !== null)
    throw validationError([
      fault(['Idempotency-Key'], 'unfilled_placeholder', `Idempotency-Key: ${notFilledIn(placeholder)}`),
    ])
  const { success, error } = idempotencyHeaders.safeParse({ 'Idempotency-Key': given })
  if (!success)
    throw validationError([
      fault(['Idempotency-Key'], 'invalid_format', `Idempotency-Key ${error.issues[0]!.message}`),
    ])
  const text = JSON.stringify(inKeyOrder(wish))
  return {
    key: keyName(ctx.state.principal ?? { tokenId: null }, given),
    hash: createHash('sha256').update(text).digest('hex'),
  }
}
