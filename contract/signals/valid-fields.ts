import { fault, type Fault } from '../errors.ts'
import type { SignalField, SignalFields } from './fields.ts'

/** A field that was given and is faulty has been named already, so no rule may call it missing. */
export class ValidFields {
  readonly values: Partial<SignalFields>
  readonly #faulty: ReadonlySet<string>

  constructor(values: Partial<SignalFields>, faults: readonly Fault[]) {
    this.values = values
    this.#faulty = new Set(faults.map(({ path }) => String(path[0])))
  }

  isFaulty(field: SignalField): boolean {
    return this.#faulty.has(field)
  }

  *requiredIf(isNeeded: boolean, field: SignalField, when: string): Generator<Fault> {
    yield* isNeeded ? this.required(field, when) : this.notAllowed(field, when)
  }

  *required(field: SignalField, when: string): Generator<Fault> {
    if (this.values[field] === undefined && !this.isFaulty(field)) {
      yield fault([field], 'required', `${field} is required ${when}`)
    }
  }

  *notAllowed(field: SignalField, when: string): Generator<Fault> {
    if (this.values[field] !== undefined || this.isFaulty(field))
      yield fault([field], 'not_allowed', `${field} is not allowed ${when}: leave it out`)
  }
}
