import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Writer, JsonObject } from './values/fields.ts'
import { uuid } from './values/values.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type RouteName = `${Method} /${string}`

export interface Answer {
  description: string
  schema: z.ZodType | null
  mediaType?: 'text/event-stream' | 'text/csv'
  /** The same content in another form. */
  otherMediaType?: 'application/jsonl'
  examples?: Readonly<Record<string, unknown>>
}

export type Answers = Readonly<Record<number, Answer>>

export interface PathParameter {
  schema: z.ZodType
  absent?: ErrorCode
}

export const idOf = <const C extends ErrorCode>(absent: C) => ({ schema: uuid(), absent })

export interface RequestBody {
  schema: z.ZodObject
  optional?: boolean
  isTextTaken?: boolean
  isAnyText?: boolean
  writer?: Writer
  /** Checks fields that depend on each other. Throws {@link ApiError} with every fault. */
  read?: (body: JsonObject, text: string) => unknown
  examples: Readonly<Record<string, unknown>>
}

export interface Endpoint {
  /** Chapter of the reference; null outside it. */
  tag: string | null
  summary: string
  /** Markdown. */
  description?: string
  path?: Readonly<Record<string, PathParameter>>
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: RequestBody
  answers: Answers
  /** Codes of this route; the description adds common ones. */
  errors: readonly ErrorCode[]
}

type Endpoints = Readonly<Record<RouteName, Endpoint>>
export type Named<Name, E> = E & { name: Name }

/** Names each route, such as `GET /api/v1/orders/:orderId`. */
export const endpoints = <const E extends Endpoints>(
  declared: E,
): { readonly [Name in keyof E]: Named<Name, E[Name]> } =>
  Object.fromEntries(
    Object.entries(declared).map(([name, endpoint]) => [name, { name, ...endpoint }]),
  ) as unknown as { readonly [Name in keyof E]: Named<Name, E[Name]> }
