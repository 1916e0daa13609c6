import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/** One way in which a route answers when it has done what was asked. */
export interface Answer {
  /** When it answers so. */
  description: string
  /** The body; null where there is none. Presenters return its type, and the tests hold every answer against it. */
  schema: z.ZodType | null
  /** The form of the body; JSON when left out. */
  mediaType?: 'text/event-stream'
  /** Whole bodies, by a name that says what they show. */
  examples?: Readonly<Record<string, unknown>>
}

/**
 * What a caller may know of a route. Who may use it and how often is not said here: `policy.ts` decides it,
 * and the description of the API is made from both.
 */
export interface Operation {
  /** The chapter of the reference in which it stands. */
  tag: string
  /** One line, beginning with a verb. */
  summary: string
  /** What one line cannot say, in Markdown. */
  description?: string
  /** Parameters of the path; the schema that the handler reads them by. */
  path?: z.ZodObject
  /** Parameters of the query; the schema that validates them. */
  query?: z.ZodObject
  /** Headers of its own, by their names. */
  headers?: z.ZodObject
  /** The body; the schema that validates it. */
  body?: {
    schema: z.ZodObject
    /** The request may come without one. */
    optional?: boolean
    examples: Readonly<Record<string, unknown>>
  }
  /** By HTTP status. */
  answers: Readonly<Record<number, Answer>>
  /**
   * Errors of its own. Those that any route may answer (credential, limit, database, a faulty body or query) are added
   * where the description is made.
   */
  errors: readonly ErrorCode[]
}

/** Operations by the names that `policy.ts` gives to routes, such as `GET /api/v1/orders/:orderId`. */
export type Operations = Readonly<Record<string, Operation>>
