import { decimal, isPositive, type Decimal } from '#domain/money/decimal.ts'
import { fault, type Fault } from '#contract/errors.ts'
import type { JsonObject } from '#contract/values/fields.ts'
import { namesNothing, notFilledIn, placeholderIn, isSecretName } from '#contract/values/secrets.ts'

export interface Given {
  /** The name in the message: `ticker`, `strategy.order_action`. */
  name: string
  path: (string | number)[]
  value: unknown
}

export interface Advice {
  code: string
  message: string
}

interface Around {
  name: string
  path: string[]
  plain: string
}

export const MAX_FAULTS_OF_MESSAGE = 50
const MAX_IGNORED_NAMED = 10
const PLAIN_NUMBER = /^-?\d{1,30}(?:\.\d{1,30})?$/
const GROUPED_NUMBER = /^[-+]?\d[\d,' _.]*$/
const GREATEST_NUMBER = 1e15

/** `strategy.order_action` becomes `strategyorderaction`. */
export const folded = (name: string): string => name.toLowerCase().replaceAll(/[._\- ]/g, '')

/** A map compares longer names with each other. */
const LONGEST_FIELD_NAME = 200
const keyOf = (plain: string): string => (plain.length > LONGEST_FIELD_NAME ? '' : plain)

/** Fields by the sender's names; unread ones are reported. */
export class SenderFields {
  readonly faults: Fault[] = []
  readonly advisories: Advice[] = []
  readonly #given = new Map<string, Given[]>()
  readonly #known = new Set<string>()

  constructor(body: JsonObject, isNested = false) {
    this.#collect(body, { name: '', path: [], plain: '' }, isNested)
  }

  #collect(body: JsonObject, around: Around, isNested: boolean): void {
    for (const [key, value] of Object.entries(body)) {
      if (isSecretName(key)) continue
      const name = around.path.length === 0 ? key : `${around.name}.${key}`
      const own = { name, path: [...around.path, key], plain: around.plain + folded(key) }
      if (isNested && typeof value === 'object' && value !== null && !Array.isArray(value)) {
        this.#collect(value as JsonObject, own, true)
        continue
      }
      const same = this.#given.get(keyOf(own.plain))
      const given = { name, path: own.path, value }
      if (same === undefined) this.#given.set(keyOf(own.plain), [given])
      else same.push(given)
    }
  }

  /** Returns null as the value. */
  fault(at: Given | string, code: string, message: string): null {
    const path = typeof at === 'string' ? [at] : at.path
    if (this.faults.length < MAX_FAULTS_OF_MESSAGE) this.faults.push(fault(path, code, message))
    return null
  }

  advise(code: string, message: string): void {
    this.advisories.push({ code, message })
  }

  know(...names: string[]): void {
    for (const name of names) this.#known.add(keyOf(name))
  }

  /** Conflicting names, empty texts and unfilled placeholders are faults. */
  pick(...names: string[]): Given | null {
    const given = this.#among(names)
    const blank = given.find(({ value }) => isBlankText(value))
    const found = this.#oneOf(given)
    if (found === null && blank !== undefined && given.every(({ value }) => isBlankText(value)))
      this.fault(blank, 'no_value', `${blank.name} is empty: its sender had no value there. ${LEAVE_OUT}`)
    return found
  }

  optional(...names: string[]): Given | null {
    return this.#oneOf(this.#among(names))
  }

  #among(names: readonly string[]): Given[] {
    this.know(...names)
    return names.flatMap((name) => this.#given.get(name) ?? []).filter(({ value }) => value != null)
  }

  #oneOf(given: readonly Given[]): Given | null {
    const [first, ...others] = given.filter(({ value }) => !isBlankText(value))
    if (first === undefined) return null
    const other = others.find(({ value }) => !isSame(value, first.value))
    if (other === undefined) return this.filled(first)
    return this.fault(
      other,
      'contradiction',
      `${first.name} and ${other.name} say different things: send one of them`,
    )
  }

  first(...names: string[]): Given | null {
    const name = names.find((each) => this.#among([each]).some(({ value }) => !isBlankText(value)))
    this.know(...names)
    return name === undefined ? this.pick(...names) : this.pick(name)
  }

  lacks(...names: string[]): boolean {
    return this.#among(names).length === 0
  }

  /** Null, with a fault, for a placeholder or a word for nothing. */
  filled(given: Given | null): Given | null {
    if (given === null || typeof given.value !== 'string') return given
    const placeholder = placeholderIn(given.value)
    if (placeholder !== null)
      return this.fault(given, 'unfilled_placeholder', `${given.name}: ${notFilledIn(placeholder)}`)
    if (!namesNothing(given.value)) return given
    return this.fault(
      given,
      'no_value',
      `${given.name} holds a word for nothing: its sender had no value there. ${LEAVE_OUT}`,
    )
  }

  /** Null where absent or at fault. */
  text(given: Given | null): string | null {
    if (given === null) return null
    if (typeof given.value === 'string') return given.value.trim()
    if (typeof given.value === 'number') return String(given.value)
    return this.fault(given, 'invalid_type', `${given.name} must be text`)
  }

  number(given: Given | null): Decimal | null {
    if (given === null) return null
    const { value, name } = given
    const text = typeof value === 'string' ? value.trim() : ''
    if (typeof value === 'number' && Math.abs(value) <= GREATEST_NUMBER) return decimal(value)
    if (PLAIN_NUMBER.test(text)) return decimal(text)
    if (GROUPED_NUMBER.test(text))
      return this.fault(
        given,
        'separators_in_number',
        `${name} must be a number such as 1000.5, without separators`,
      )
    const words = `${name} must be a number such as 1000.5, without a currency sign`
    return this.fault(given, 'invalid_type', words)
  }

  positive(given: Given | null): Decimal | null {
    const value = this.number(given)
    if (value === null || isPositive(value)) return value
    return this.fault(given!, 'not_positive', `${given!.name} must be greater than 0`)
  }

  /** Some senders write 0 for no price. */
  price(given: Given | null): { given: Given; value: Decimal } | null {
    if (given === null || saysZero(given)) return null
    const value = this.positive(given)
    return value === null ? null : { given, value }
  }

  flag(given: Given | null): boolean | null {
    if (given === null) return null
    const word = typeof given.value === 'string' ? given.value.trim().toLowerCase() : given.value
    if (word === true || word === 'true') return true
    if (word === false || word === 'false') return false
    return this.fault(given, 'invalid_type', `${given.name} must be true or false`)
  }

  /** Null where absent; unknown words, and words that mean null, are faults. */
  word<Meaning>(
    given: Given | null,
    words: Readonly<Record<string, Meaning | null>>,
    shown?: string,
    refused?: Advice,
  ): Meaning | null {
    if (given === null) return null
    const word = typeof given.value === 'string' ? folded(given.value.trim()) : ''
    const meaning = Object.hasOwn(words, word) ? (words[word] ?? null) : null
    if (meaning !== null) return meaning
    if (refused !== undefined && Object.hasOwn(words, word))
      return this.fault(given, refused.code, refused.message)
    const known = shown ?? Object.keys(words).join(', ')
    return this.fault(given, 'unknown_word', `${given.name} must be one of ${known}`)
  }

  unread(): Given[] {
    return [...this.#given].filter(([name]) => !this.#known.has(name)).flatMap(([, given]) => given)
  }

  adviseOfIgnored(): void {
    const ignored = this.unread()
    const names = ignored.map(({ name }) => name).filter((name) => SHOWABLE.test(name))
    if (ignored.length === 0) return
    const more = ignored.length - Math.min(names.length, MAX_IGNORED_NAMED)
    const listed = [...names.slice(0, MAX_IGNORED_NAMED), ...(more > 0 ? [`${more} more`] : [])]
    this.advise('fields_ignored', `Fields that mean nothing here were left out: ${listed.join(', ')}`)
  }
}

const SHOWABLE = /^[\w .-]{1,60}$/

export const saysZero = ({ value }: Given): boolean =>
  value === 0 || (typeof value === 'string' && /^\s*-?0+(?:\.0+)?\s*$/.test(value))

export const saysNone = (given: Given): boolean =>
  given.value === null ||
  given.value === false ||
  given.value === 'false' ||
  isBlankText(given.value) ||
  saysZero(given)

const LEAVE_OUT = 'Leave the field out, or mend the sender'

const isBlankText = (value: unknown): boolean => typeof value === 'string' && value.trim() === ''

const plain = (value: unknown): string =>
  typeof value === 'string' ? value.trim().toLowerCase() : JSON.stringify(value)
const isSame = (one: unknown, other: unknown): boolean => plain(one) === plain(other)
