import type { Given, SenderFields } from './sender-fields.ts'
import type { Guard, Protection } from './wish.ts'

const TRAILS = 'trails the price, which cannot be kept yet'
const IN_PERCENT = 'is relative to the price of the entry, which cannot be kept yet'

/** A stop and a profit target of which each is one price in dollars, in a field of its own. */
export function pricesOf(fields: SenderFields): Protection {
  const stop = guardOf(fields, fields.pick('stoploss', 'sl', 'stoplossprice', 'stoplossstopprice'))
  const limit = fields.price(fields.pick('stoplosslimit', 'stoplosslimitprice'))
  const target = guardOf(fields, fields.pick('takeprofit', 'tp', 'takeprofitprice', 'takeprofitlimitprice'))
  const relative = fields.first('stoplosspercent', 'stoplossamount', 'takeprofitpercent', 'takeprofitamount')
  const trailing = fields.first('trailingstop', 'stoplosstrailamount', 'stoplosstrailpercent')
  if (limit !== null && stop === null)
    fields.fault(limit.given, 'required', `${limit.given.name} needs the price of the stop beside it`)
  const unkept =
    trailing === null || trailing.value === false
      ? unkeptOf(relative, IN_PERCENT)
      : unkeptOf(trailing, TRAILS)
  return {
    stop: stop === null ? unkept : { ...stop, limit: limit?.value ?? null },
    target: stop !== null && unkept !== null && target === null ? unkept : target,
  }
}

const unkeptOf = (given: Given | null, fault: string): Guard | null =>
  given === null ? null : { given, price: null, limit: null, fault }

function guardOf(fields: SenderFields, given: Given | null): Guard | null {
  if (given !== null && typeof given.value === 'string' && /^\s*\d+(?:\.\d+)?\s*%\s*$/.test(given.value))
    return unkeptOf(given, IN_PERCENT)
  const price = fields.price(given)
  return price === null ? null : { given: price.given, price: price.value, limit: null, fault: null }
}
