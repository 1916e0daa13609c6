import { fault } from '../../http/errors.ts'
import type { JsonObject } from '../../http/validation/json-body.ts'
import { saysNone, SenderFields, type Given } from './sender-fields.ts'
import type { Guard, Protection } from './wish.ts'

const RELATIVE = 'is relative to the price of the entry, which cannot be kept yet'
const TRAILING = 'trails the price, which cannot be kept yet'

/** The objects `takeProfit` and `stopLoss`; a number in their place is a price. */
export const readProtection = (fields: SenderFields): Protection => ({
  stop: guardOf(fields, fields.pick('stoploss'), 'stopprice', true),
  target: guardOf(fields, fields.pick('takeprofit'), 'limitprice', false),
})

function guardOf(
  fields: SenderFields,
  given: Given | null,
  priceName: string,
  isStop: boolean,
): Guard | null {
  if (given === null) return null
  if (typeof given.value !== 'object') {
    const price = fields.positive(given)
    return price === null ? null : { given, price, limit: null, fault: null }
  }
  if (Array.isArray(given.value)) {
    fields.fault(given, 'invalid_type', `${given.name} must be an object`)
    return null
  }
  const inner = new SenderFields(given.value as JsonObject)
  const guard = withinObject(inner, given, priceName, isStop)
  for (const { path, code, message } of inner.faults)
    fields.faults.push(fault([...given.path, ...path], code, `${given.name}.${message}`))
  return inner.faults.length > 0 ? null : guard
}

function withinObject(inner: SenderFields, given: Given, priceName: string, isStop: boolean): Guard | null {
  const type = inner.optional('type')
  const price = inner.price(isStop ? inner.pick(priceName) : inner.pick(priceName, 'price'))
  const limit = isStop ? inner.price(inner.pick('limitprice')) : null
  const relative = inner.first('percent', 'amount')
  const trail = inner.first('trailamount', 'trailpercent')
  const word = inner.text(type)?.toLowerCase() ?? null
  if (word !== null && !['stop', 'stop_limit', 'trailing_stop'].includes(word))
    inner.fault(type!, 'unknown_word', 'type must be one of stop, stop_limit, trailing_stop')
  // An empty object is what a template leaves when nothing is chosen.
  if (price === null && relative === null && trail === null && word !== 'trailing_stop') {
    if (type !== null || limit !== null || inner.unread().some((other) => !saysNone(other)))
      inner.fault(priceName, 'required', `${PRICE_FIELDS[priceName]} is required`)
    return null
  }
  const whole = { ...given, name: price === null ? given.name : `${given.name}.${price.given.name}` }
  if (trail !== null || word === 'trailing_stop') return { given, price: null, limit: null, fault: TRAILING }
  if (price === null || relative !== null) return { given, price: null, limit: null, fault: RELATIVE }
  return { given: whole, price: price.value, limit: limit?.value ?? null, fault: null }
}

const PRICE_FIELDS: Record<string, string> = { stopprice: 'stopPrice', limitprice: 'limitPrice' }
