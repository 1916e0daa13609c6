import type { Instruction } from '#domain/hook/message.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import { mayMoveOpen } from '#domain/moves.ts'
import { isSecretName } from '#contract/values/secrets.ts'
import { folded, saysNone, type Given, type SenderFields } from './sender-fields.ts'

const PROTECTION = /stoploss|takeprofit|profittarget|trail/
const PROFIT_TARGET = /^targets?(?:price)?\d*$/
const WORD = /^(?:sl|tp|oco|bracket)$|stops?$/
const NUMBER = /\d{1,9}$/
const MEASURE = /(?:price|px|pct|percent|pips|points|ticks|value|amount|offset|level)$/
const LONGEST_LOOKED_AT = 100
const MOST_TOLD = 10

function namesProtection(whole: string): boolean {
  const name = whole.slice(0, LONGEST_LOOKED_AT)
  const plain = folded(name)
  if (PROTECTION.test(plain) || PROFIT_TARGET.test(plain)) return true
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').split(/[._\- ]+/)
  return words.some((word) => WORD.test(word.toLowerCase().replace(NUMBER, '').replace(MEASURE, '')))
}

export function* protectionWithin(
  given: Given,
  isRead: (name: string) => boolean = () => false,
  isAround = given.path.some((step) => namesProtection(String(step))),
): Generator<Given> {
  const { name, path, value } = given
  if (isRead(name)) return
  if (typeof value !== 'object' || value === null) {
    if (isAround && !saysNone(given)) yield given
    return
  }
  for (const [key, inner] of Object.entries(value)) {
    if (isSecretName(key)) continue
    const own = {
      name: name === '' ? key : `${name}.${key}`,
      path: [...path, Array.isArray(value) ? Number(key) : key],
    }
    yield* protectionWithin({ ...own, value: inner }, isRead, isAround || namesProtection(key))
  }
}

/** The entry would be sent without a stop that nothing here reads: that takes the word of the hook's owner. */
export function tellOfUnreadProtection(
  fields: SenderFields,
  unread: Iterable<Given>,
  instructions: readonly Instruction[],
  { protection }: HookSettings,
): void {
  if (!instructions.some(mayOpen)) return
  for (const given of [...unread].slice(0, MOST_TOLD))
    if (protection === 'ignore')
      fields.advise(
        'protection_ignored',
        `${given.name} is no field for a stop or a profit target here; it was left out, as the hook says`,
      )
    else
      fields.fault(
        given,
        'protection_not_kept',
        `${given.name} seems to ask for a stop or a profit target, and is no field for that here, so that the entry would be sent without it. Use the fields of this sender, leave it out, or let the hook ignore what cannot be kept (protection)`,
      )
}

const mayOpen = (instruction: Instruction): boolean =>
  instruction.kind === 'trade' &&
  (instruction.move === null ? instruction.body['targetPosition'] !== '0' : mayMoveOpen(instruction.move))
