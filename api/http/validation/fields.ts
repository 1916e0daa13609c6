import { z } from 'zod'
import { fault, MAX_FAULTS_FOUND, type Fault } from '../errors.ts'
import { notFilledIn, placeholderIn } from './placeholders.ts'

/**
 * What a body's fields hold, as far as each of them is sound, and every fault found. Fields are read one by
 * one, so that rules between fields can still be checked on those that are sound: all faults in one answer.
 */
export interface FieldReading<S extends z.ZodRawShape> {
  values: Partial<z.output<z.ZodObject<S>>>
  faults: Fault[]
}

/** The writer of a body, by which it is read and described. */
export interface Writer {
  /**
   * False for a change of a record, in which a field that is left out stays as it is: a null that cannot be stored must not be
   * taken for that.
   */
  nullIsAbsent?: boolean
  /**
   * A program fills it in from a form or a template, as senders of signals do. Text with a placeholder that was not replaced is
   * a fault, whatever the field takes; empty text in a field that may be left out says no more than null.
   */
  isTemplate?: boolean
  /** The field that tells the body from all others: one that was meant to, and is empty, is a fault. */
  identity?: string
}

/**
 * Reads a body by its fields. Fields that the shape does not know are faults. Many senders write null for a field that
 * they leave out: it is absent then, unless null has a meaning of its own.
 */
export function readFields<S extends z.ZodRawShape>(
  shape: S,
  body: Readonly<Record<string, unknown>>,
  writer: Writer = {},
): FieldReading<S> {
  const values: Record<string, unknown> = {}
  const faults: Fault[] = []
  for (const [name, schema] of Object.entries(shape)) {
    const value = body[name]
    const placeholder = writer.isTemplate && typeof value === 'string' ? placeholderIn(value) : null
    if (placeholder !== null) {
      faults.push(fault([name], 'unfilled_placeholder', `${name}: ${notFilledIn(placeholder)}`))
      continue
    }
    const saysNothing = (value === null || value === '') && absentValues(name, schema, writer).includes(value)
    const given = Object.hasOwn(body, name) && !saysNothing
    const result = z.safeParse(schema, given ? value : undefined)
    if (result.success) values[name] = result.data
    else if (!given) faults.push(fault([name], 'required', `${name} is required`))
    else faults.push(...faultsIn(result.error, [name]))
  }
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(shape, name)) faults.push(unknownField(name))
  }
  return { values: values as FieldReading<S>['values'], faults }
}

/** The values that say no more of a field than leaving it out does. */
export const absentValues = (
  name: string,
  schema: z.core.$ZodType,
  { nullIsAbsent = true, isTemplate = false, identity }: Writer,
): unknown[] => [
  ...(nullIsAbsent && isAbsent(schema, null) ? [null] : []),
  ...(isTemplate && name !== identity && isAbsent(schema, '') ? [''] : []),
]

/** The field may be left out, and has no meaning for the value itself. */
const isAbsent = (schema: z.core.$ZodType, value: unknown): boolean =>
  z.safeParse(schema, undefined).success && !z.safeParse(schema, value).success

/**
 * All faults of a body: those of its fields each by itself, and those between fields. Of a field that has to be left out nothing
 * else is said: to mend its value would be in vain.
 */
export function allFaults(ofFields: readonly Fault[], between: readonly Fault[]): Fault[] {
  const unwanted = new Set(between.filter(({ code }) => code === 'not_allowed').map(({ path }) => path[0]))
  return [...ofFields.filter(({ path }) => !unwanted.has(path[0])), ...between]
}

/** The faults of a zod error, as many as an answer has room for, each message readable by itself. */
export function faultsIn(error: z.ZodError, prefix: (string | number)[] = []): Fault[] {
  return error.issues.slice(0, MAX_FAULTS_FOUND).flatMap((issue) => {
    const path = [...prefix, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(key, path))
    const message = issue.message.startsWith('must ') ? `${path.join('.')} ${issue.message}` : issue.message
    // A union is our way of taking numbers and numbers as text; to the sender it is one type.
    return [fault(path, issue.code === 'invalid_union' ? 'invalid_type' : issue.code, message)]
  })
}

/** Names of fields come from the sender: what is shown of them is kept short. */
const MAX_NAME_SHOWN = 100

function unknownField(name: string, path: (string | number)[] = []): Fault {
  const shown = name.slice(0, MAX_NAME_SHOWN)
  return fault([...path, shown], 'unrecognized_key', `${JSON.stringify(shown)} is not a known field`)
}
