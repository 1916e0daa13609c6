import {
  compare,
  decimal,
  isDecimal,
  isPositive,
  LEDGER_PLACES,
  round,
  type Decimal,
} from '#domain/decimal.ts'
import type { TradeInstruction } from '#domain/hook/message.ts'
import { isInTicks, toTick } from '#domain/price-tick.ts'
import type { SenderFields } from './sender-fields.ts'

/** Scripts calculate levels such as 98.4375. Rounded towards the price, a level closes no later than meant. */
export function levelsInTicks(fields: SenderFields, instruction: TradeInstruction): TradeInstruction {
  const { body, names } = instruction
  const plan = body['protection']
  if (!isObject(plan)) return instruction
  const isLong = !opensShort(body)
  const rounded = { ...plan }
  for (const [part, field, direction] of [
    ['stop', 'price', isLong ? 'up' : 'down'],
    // Farther behind the stop, where it is more likely to close.
    ['stop', 'limitOffset', 'up'],
    ['target', 'price', isLong ? 'down' : 'up'],
  ] as const) {
    const level = rounded[part]
    const given = isObject(level) ? unroundedIn(level[field]) : null
    const price = given && toTick(given, direction)
    if (!isObject(level) || price === null || !isPositive(price)) continue
    rounded[part] = { ...level, [field]: price }
    const name = names[`protection.${part}.${field}`] ?? `protection.${part}.${field}`
    fields.advise(
      'price_rounded_to_tick',
      `${name} ${given} has more decimals than brokers take: ${price} is taken. Round it where it is calculated`,
    )
  }
  return { ...instruction, body: { ...body, protection: rounded } }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function unroundedIn(value: unknown): Decimal | null {
  if (!isDecimal(value)) return null
  const price = round(decimal(value), LEDGER_PLACES)
  return isPositive(price) && !isInTicks(price) ? price : null
}

function opensShort({ targetPosition, action }: Record<string, unknown>): boolean {
  if (targetPosition == null) return action === 'openShort'
  return isDecimal(targetPosition) && compare(decimal(targetPosition), '0') < 0
}
