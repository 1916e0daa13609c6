import type { Decimal } from '#domain/money/decimal.ts'
import { z } from 'zod'
import { workflowIdFor } from '#domain/signal/signal.ts'
import type { Principal } from './principal.ts'
import type { WorkflowAnswer } from '#contract/envelopes.ts'

export const VERSION = '0.1.0'

export function toJsonNumber(value: Decimal): number
export function toJsonNumber(value: Decimal | null | undefined): number | null
export function toJsonNumber(value: Decimal | null | undefined): number | null {
  return value == null ? null : Number(value)
}

/** ISO 8601 in UTC with milliseconds. */
export function toIsoInstant(value: Date): string
export function toIsoInstant(value: Date | null | undefined): string | null
export function toIsoInstant(value: Date | null | undefined): string | null {
  return value?.toISOString() ?? null
}

type Shown<Stored> =
  | (null extends Stored ? null : undefined extends Stored ? null : never)
  | (NonNullable<Stored> extends Date
      ? string
      : [NonNullable<Stored>] extends [Decimal]
        ? number
        : NonNullable<Stored>)

/** An object with more fields does not fit. */
type Fits<Stored, Output> = [Shown<Stored>] extends [Output]
  ? NonNullable<Output> extends object
    ? [Output] extends [Shown<Stored>]
      ? true
      : false
    : true
  : false

type Columns<Shape extends z.ZodRawShape, Row> = {
  [
    Name in keyof Shape & keyof Row as Fits<Row[Name], z.output<Shape[Name]>> extends true ? Name : never
  ]: Shown<Row[Name]>
}

type Derived<Shape extends z.ZodRawShape, Row> = Omit<
  z.output<z.ZodObject<Shape>>,
  keyof Columns<Shape, Row>
> &
  Partial<z.output<z.ZodObject<Shape>>>

/**
 * Presents a record by the contract: null for absent values, numbers for decimals, ISO 8601 for instants.
 * @param derived fields that need another form
 */
export const presentAs = <Shape extends z.ZodRawShape, Row extends object>(
  { shape }: z.ZodObject<Shape>,
  row: Row,
  derived: Derived<Shape, Row>,
): z.output<z.ZodObject<Shape>> =>
  Object.fromEntries(
    fieldsOf(shape).flatMap(({ name, isNumber, mayLack }) => {
      if (Object.hasOwn(derived, name)) return [[name, derived[name as keyof typeof derived]]]
      const value = row[name as keyof Row]
      return value === undefined && mayLack ? [] : [[name, shown(value, isNumber)]]
    }),
  ) as z.output<z.ZodObject<Shape>>

function shown(value: unknown, isNumber: boolean): unknown {
  if (value instanceof Date) return toIsoInstant(value)
  return typeof value === 'string' && isNumber ? Number(value) : (value ?? null)
}

interface ShownField {
  name: string
  isNumber: boolean
  mayLack: boolean
}

/** Cached: a list has hundreds of rows. */
const SHOWN_FIELDS = new WeakMap<z.ZodRawShape, readonly ShownField[]>()

function fieldsOf(shape: z.ZodRawShape): readonly ShownField[] {
  const known = SHOWN_FIELDS.get(shape)
  if (known) return known
  const fields = Object.entries(shape).map(([name, schema]) => ({
    name,
    isNumber: isNumber(schema as z.ZodType),
    mayLack: isOptional(schema as z.ZodType),
  }))
  SHOWN_FIELDS.set(shape, fields)
  return fields
}

const isOptional = (schema: z.ZodType) =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional

const isNumber = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodNumber ||
  ((schema instanceof z.ZodNullable || isOptional(schema)) && isNumber(schema.unwrap() as z.ZodType))

export const isoInstantOfText = (text: string | null): string | null =>
  text === null ? null : toIsoInstant(new Date(text))

/** Null except for administrators in person with a configured UI. */
export const temporalUiFor = (
  { role, credential }: Pick<Principal, 'role' | 'credential'>,
  temporalUiUrl: string | null,
): string | null => (role === 'admin' && credential === 'jwt' ? temporalUiUrl : null)

export const presentWorkflow = (id: string, temporalUi: string | null): WorkflowAnswer => ({
  id,
  url: temporalUi && `${temporalUi}/workflows/${id}`,
})

export const workflowOf = (
  { signalId }: { signalId?: string | null | undefined },
  temporalUi: string | null,
): WorkflowAnswer | null => (signalId ? presentWorkflow(workflowIdFor(signalId), temporalUi) : null)
