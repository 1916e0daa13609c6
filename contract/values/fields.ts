import { z } from 'zod'
import { fault, MAX_FAULTS_FOUND, type Fault } from '../errors.ts'
import { notFilledIn, placeholderIn } from './secrets.ts'

/** Valid fields besides faults, for the rules between fields. */
export interface FieldReading<S extends z.ZodRawShape> {
  values: Partial<z.output<z.ZodObject<S>>>
  faults: Fault[]
}

export interface Writer {
  /** False for a change, where an absent field stays. */
  nullIsAbsent?: boolean
  /** An unreplaced placeholder is a fault; empty optional text counts as null. */
  isTemplate?: boolean
  identity?: string
}

/** Null counts as absent, unless it has its own meaning. Unknown fields are faults. */
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

export const absentValues = (
  name: string,
  schema: z.core.$ZodType,
  { nullIsAbsent = true, isTemplate = false, identity }: Writer,
): unknown[] => [
  ...(nullIsAbsent && isAbsent(schema, null) ? [null] : []),
  ...(isTemplate && name !== identity && isAbsent(schema, '') ? [''] : []),
]

const isAbsent = (schema: z.core.$ZodType, value: unknown): boolean =>
  z.safeParse(schema, undefined).success && !z.safeParse(schema, value).success

/** A forbidden field has no other fault. */
export function allFaults(ofFields: readonly Fault[], between: readonly Fault[]): Fault[] {
  const unwanted = new Set(between.filter(({ code }) => code === 'not_allowed').map(({ path }) => path[0]))
  return [...ofFields.filter(({ path }) => !unwanted.has(path[0])), ...between]
}

export function faultsIn(error: z.ZodError, prefix: (string | number)[] = []): Fault[] {
  return error.issues.slice(0, MAX_FAULTS_FOUND).flatMap((issue) => {
    const path = [...prefix, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(key, path))
    const message = issue.message.startsWith('must ') ? `${path.join('.')} ${issue.message}` : issue.message
    // Numbers and numbers as text are a union, but one type to senders.
    return [fault(path, issue.code === 'invalid_union' ? 'invalid_type' : issue.code, message)]
  })
}

const MAX_NAME_SHOWN = 100

function unknownField(name: string, path: (string | number)[] = []): Fault {
  const shown = name.slice(0, MAX_NAME_SHOWN)
  return fault([...path, shown], 'unrecognized_key', `${JSON.stringify(shown)} is not a known field`)
}

export type JsonObject = Readonly<Record<string, unknown>>
