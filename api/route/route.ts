import type { Slice } from '#db/engine/page.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { z } from 'zod'
import type { Access, RoutePolicy } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import type { ApiContext } from '../http/context.ts'
import { envelopeFamilyOf, standardAnswer } from '../http/envelopes.ts'
import type { ErrorCode } from '../http/errors.ts'
import { exampleAnswer } from '../http/examples.ts'
import { presentPaging, type AskedPage, type OrderOf } from '../http/paging.ts'
import type { Principal } from '../http/principal.ts'
import type { Writer } from '../http/validation/fields.ts'
import type { JsonObject } from '../http/validation/json-body.ts'
import { noQuery, type paging } from '../http/validation/query.ts'
import { uuid } from '../http/validation/values.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type RouteName = `${Method} /${string}`

/** One way in which a route answers when it has done what was asked. */
export interface Answer {
  /** When it answers so. */
  description: string
  /** The body, without its envelope; null where there is none. */
  schema: z.ZodType | null
  /** The form of the body; JSON when left out. */
  mediaType?: 'text/event-stream'
  /** Whole bodies, without their envelopes, by a name that says what they show. */
  examples?: Readonly<Record<string, unknown>>
}
/** By HTTP status; the first one is answered where the work of the route names no other. */
export type Answers = Readonly<Record<number, Answer>>

/** A parameter of the path. */
export interface PathParameter {
  /** Reads it, and brings every spelling that means the same into one form. */
  schema: z.ZodType
  /** The answer to a text that the schema does not take: that there is no such thing. */
  absent?: ErrorCode
}

/** The id of a record; whatever cannot be one is answered like the id of an absent record. */
export const idOf = <const C extends ErrorCode>(absent: C) => ({ schema: uuid(), absent })

/** The body that a route takes. */
export interface RequestBody {
  /** Its fields; each is read by itself, so that every fault is named. */
  schema: z.ZodObject
  /** The request may come without one. */
  optional?: boolean
  /** JSON may come as text/plain as well: from alerting services, which can send nothing else. */
  isTextTaken?: boolean
  /** Whatever comes is taken as text: senders of hooks write what they like, in any form. */
  isAnyText?: boolean
  /** The writer of the body, where `read` takes that into account. */
  writer?: Writer
  /** Reads it where fields depend on each other, given its text besides. Throws {@link ApiError} naming every fault. */
  read?: (body: JsonObject, text: string) => unknown
  examples: Readonly<Record<string, unknown>>
}

type PathValues<P> = {
  [K in keyof P]: P[K] extends { schema: infer S extends z.ZodType } ? z.output<S> : never
}
type BodyValue<B> = B extends { read: (body: JsonObject, text: string) => infer T }
  ? T
  : B extends { schema: infer S extends z.ZodObject }
    ? z.output<S>
    : undefined
type AnswerValue<A> = {
  [S in keyof A]: A[S] extends { schema: infer T extends z.ZodType } ? z.output<T> : null
}[keyof A]

/** A request as the work of a route gets it: read, checked, and its caller let in. */
export interface Asked<Who extends Principal | null, P, Q extends z.ZodObject, B> {
  /** The caller's principal; the same as `caller.principal`. */
  me: Who
  /** The request's own view of the database; the same as `caller.em`. */
  em: EntityManager
  /** The arguments of commands. */
  caller: Caller<Who>
  path: PathValues<P>
  query: z.output<Q>
  body: BodyValue<B>
  /** The request and the answer themselves: for headers, the door to cookies, and a route that returns {@link WRITTEN}. */
  http: ApiContext
}

/** A request for a page of a list. */
export interface AskedList<Who extends Principal | null, P, Q extends z.ZodObject> extends Omit<
  Asked<Who, P, Q, undefined>,
  'query'
> {
  /** The query without its page. */
  filter: Omit<z.output<Q>, keyof typeof paging>
  page: AskedPage
}

/** An answer by another status than the route's first one. */
export class Reply<T> {
  readonly status: number
  readonly data: T

  constructor(status: number, data: T) {
    this.status = status
    this.data = data
  }
}

/** The route has written its answer itself. */
class Written {
  readonly isWritten = true
}
/** The value of a route that has written its answer itself: a page, a file, a stream of events. */
export const WRITTEN = new Written()

/** The declarations of routes, beside their work. */
interface Description<Who extends Principal | null, P, Q, B, A> {
  /** Method and address, such as `GET /api/v1/orders/:orderId`. */
  name: RouteName
  /** The access to the route, its limits, and its connections to the database. */
  access: Access<Who>
  /** The chapter of the reference in which it stands; null for pages and files, which it leaves out. */
  tag: string | null
  /** One line, beginning with a verb. */
  summary: string
  /** The details beyond one line, in Markdown. */
  description?: string
  /** Parameters of the path, by their names. */
  path?: P
  /** The query; without it there may be none. */
  query?: Q
  /** Headers of its own, by their names. */
  headers?: z.ZodObject
  /** The body; without it there may be none, or an empty object. */
  body?: B
  answers: A
  /**
   * Errors of its own. Those that any route may answer (credential, limit, database, faulty input) are added where the
   * description of the API is made.
   */
  errors: readonly ErrorCode[]
  /**
   * `around`: the whole work is done before the deadline of the database, or the answer is DATABASE_UNAVAILABLE; so it
   * is for ordinary routes. `within`: the work waits for more than the database, such as a broker, a workflow or the
   * hash of a password, and bounds its database work itself.
   */
  deadline?: 'around' | 'within'
}

/**
 * A route: all that the service knows of one address and method, and the function that does the work. Router, guards,
 * description, client types and tests read the same list of these.
 *
 * @typeParam D what the work needs of the process
 */
export interface Route<D = never> {
  name: RouteName
  method: Method
  /** Such as `/api/v1/orders/:orderId`. */
  address: string
  access: RoutePolicy
  tag: string | null
  summary: string
  description?: string | undefined
  path: Readonly<Record<string, PathParameter>>
  query: z.ZodObject
  headers?: z.ZodObject | undefined
  body?: RequestBody | undefined
  /** The order of a list, which has pages. */
  list?: OrderOf<never> | undefined
  /** With their envelopes. */
  answers: Answers
  errors: readonly ErrorCode[]
  deadline: 'around' | 'within'
  /** Success is answered in the envelope of the standard family. */
  isEnveloped: boolean
  run(asked: never, deps: D): unknown
}

type None = {}

/** Declares a route. `run` returns the answer's data, a {@link Reply} for another status, or {@link WRITTEN}. */
export function route<
  Who extends Principal | null,
  A extends Answers,
  const P extends Readonly<Record<string, PathParameter>> = None,
  Q extends z.ZodObject = typeof noQuery,
  const B extends RequestBody | undefined = undefined,
  D = unknown,
>(
  declared: Description<Who, P, Q, B, A> & {
    run: (asked: Asked<Who, P, Q, B>, deps: D) => Result<AnswerValue<A>> | Promise<Result<AnswerValue<A>>>
  },
): Route<D> {
  return asRoute(declared, undefined)
}

type Result<T> = T | Reply<T> | Written

/** Declares a route that answers a page of a list: `run` returns the rows, and `list` says how they are shown. */
export function listRoute<
  Who extends Principal | null,
  A extends Answers,
  Q extends z.ZodObject<typeof paging>,
  T,
  const P extends Readonly<Record<string, PathParameter>> = None,
  D = unknown,
>(
  declared: Description<Who, P, Q, undefined, A> & {
    list: {
      order: OrderOf<AskedList<Who, P, Q>['filter']>
      /** The name of the rows in the answer. */
      rows: string
      /** A row as the caller sees it. */
      present: (row: T, me: Who, deps: D) => object
    }
    run: (asked: AskedList<Who, P, Q>, deps: D) => Promise<Slice<T>>
  },
): Route<D> {
  const { list, run, ...rest } = declared
  const shown = async (asked: AskedList<Who, P, Q>, deps: D) => {
    const slice = await run(asked, deps)
    const rows = slice.items.map((row) => list.present(row, asked.me, deps))
    return { [list.rows]: rows, ...presentPaging(slice, asked.page) }
  }
  return asRoute({ ...rest, run: shown }, list.order)
}

/** @throws Error where the parameters of the path are not those of the name */
function asRoute<Who extends Principal | null, P, Q, B, A extends Answers, D>(
  declared: Description<Who, P, Q, B, A> & { run: (asked: never, deps: D) => unknown },
  list: OrderOf<never> | undefined,
): Route<D> {
  const { name, access, query = noQuery, body } = declared
  const path = (declared.path ?? {}) as Readonly<Record<string, PathParameter>>
  const [method, address] = name.split(' ') as [Method, string]
  const parameters = [...address.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter)
  if (parameters.join() !== Object.keys(path).join())
    throw new Error(`${name} does not declare its path as it is named: ${Object.keys(path).join()}`)
  const isEnveloped =
    address.startsWith('/api/v1') &&
    envelopeFamilyOf(method, address) === 'standard' &&
    Object.values(declared.answers).every(({ mediaType }) => mediaType === undefined)
  return {
    ...declared,
    method,
    address,
    path,
    query: query as z.ZodObject,
    body: body as RequestBody | undefined,
    list,
    answers: isEnveloped ? mapAnswers(declared.answers) : declared.answers,
    deadline: declared.deadline ?? (access.work === 'ordinary' ? 'around' : 'within'),
    isEnveloped,
  }
}

const mapAnswers = (answers: Answers): Answers =>
  Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      isSuccess(Number(status)) ? enveloped(answer) : answer,
    ]),
  )

const enveloped = ({ schema, examples = {}, ...rest }: Answer): Answer => ({
  ...rest,
  schema: schema && standardAnswer(schema),
  examples: Object.fromEntries(Object.entries(examples).map(([words, data]) => [words, exampleAnswer(data)])),
})

/** An answer by such a status is the outcome, and no error. */
export const isSuccess = (status: number): boolean => status < 300
