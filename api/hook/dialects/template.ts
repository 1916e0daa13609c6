import { fixedValue, type HookSettings, type HookTemplate } from '#domain/hook/settings.ts'
import type { JsonObject } from '#contract/values/fields.ts'
import { sharesOf, type Dialect, type Intent, type Reading } from './dialect.ts'
import { alertNameOf } from './identity.ts'
import { asChosen } from './positions.ts'
import { named, NO_TRAILING_ORDER, ORDER_TYPE_OF } from './orders.ts'
import { folded, saysZero, type Given, type SenderFields } from './sender-fields.ts'
import { symbolOf } from './symbols.ts'
import { tradeInstruction } from './trade-instruction.ts'
import { protectionWithin, reportUnreadProtection } from './protection.ts'

/** Any JSON by the owner's table: a path such as `data.items.0.ticker`, or a fixed value such as `"market"`. */
export const template: Dialect = { isNested: false, read, readLine: null }

function read(fields: SenderFields, settings: HookSettings, body: JsonObject): Reading | null {
  fields.know(...Object.keys(body).map(folded))
  const places = settings.template
  if (places === null)
    return fields.fault(
      'template',
      'required',
      'The hook has no table of the places of the fields: set it in the hook',
    )
  const at = (path: string | null): Given | null => fields.filled(path === null ? null : valueAt(body, path))
  const symbolGiven = at(places.symbol)
  const wordGiven = at(places.word)
  for (const [path, given] of [
    [places.symbol, symbolGiven],
    [places.word, wordGiven],
  ] as const)
    if (given === null && !fields.faults.some(({ field }) => field === path))
      fields.fault(path, 'required', `${path} is required: by the hook's table it says what to trade`)
  const symbol = symbolOf(fields, symbolGiven, settings)
  const word = wordOf(fields, wordGiven, places)
  const quantity = at(places.quantity)
  // Some senders close all by 0.
  const isAll = word === 'close' && quantity !== null && saysZero(quantity)
  const size = isAll ? null : sharesOf(fields, quantity)
  const typeGiven = at(places.orderType)
  const orderType = fields.word(typeGiven, ORDER_TYPE_OF, 'market, limit', NO_TRAILING_ORDER)
  const limit = fields.price(at(places.limitPrice))
  const name = alertNameOf(fields, at(places.id))
  if (fields.faults.length > 0 || symbol === null || word === null) return null
  const isLimit = orderType === null ? limit !== null : orderType !== 'market'
  const intent: Intent = word === 'close' ? { kind: 'close', side: null } : asChosen(word, size, settings)
  const tradeRequest = {
    symbol,
    intent,
    size,
    order: {
      orderType: orderType ?? (isLimit ? 'limit' : 'market'),
      ...(isLimit && limit !== null && { limitPrice: limit.value }),
    },
    names: {
      ...named('symbol', symbolGiven),
      ...named('orderType', typeGiven),
      ...(places.limitPrice !== null && { limitPrice: places.limitPrice }),
    },
  }
  const trade = tradeInstruction(fields, tradeRequest, settings)
  if (trade === null) return null
  const isRead = (place: string) => Object.values(places).includes(place)
  const unread = protectionWithin({ name: '', path: [], value: body }, isRead)
  reportUnreadProtection(fields, unread, [trade], settings)
  return { instructions: [trade], name, isTest: false }
}

function valueAt(body: JsonObject, path: string): Given | null {
  const fixed = fixedValue(path)
  if (fixed !== null) return { name: path, path: [path], value: fixed }
  let value: unknown = body
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return null
    value = (value as JsonObject)[step]
  }
  return value == null ? null : { name: path, path: [path], value }
}

function wordOf(
  fields: SenderFields,
  given: Given | null,
  { words }: HookTemplate,
): 'buy' | 'sell' | 'close' | null {
  const text = fields.text(given)?.toLowerCase()
  if (given === null || text === undefined) return null
  if (Object.hasOwn(words, text)) return words[text]!
  return fields.fault(
    given,
    'unknown_word',
    `${given.name} holds a word that the hook's table has not: it knows ${Object.keys(words).join(', ')}`,
  )
}
