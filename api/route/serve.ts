import { callerOf } from '../http/caller.ts'
import type { ApiContext, RouteMiddleware } from '../http/context.ts'
import { readJsonDocument, readText, refuseBody, hasBody } from '../http/body.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError, validationError } from '../http/errors.ts'
import { readListQuery, type OrderOf } from '../http/paging.ts'
import { faultsIn, readFields } from '../http/validation/fields.ts'
import { readQuery } from '../http/validation/query.ts'
import { isSuccess, Reply, WRITTEN, type RequestBody, type Route } from './route.ts'

/**
 * Makes a route answer requests that the guard of its policy has let in: reads path, query and body, does its work in
 * time, and answers in its envelope. What the route does not declare is refused, on every route alike.
 */
export const serve =
  <D>(route: Route<D>, deps: D): RouteMiddleware =>
  async (ctx) => {
    const asked = await readRequest(route, ctx)
    const work = Promise.resolve(route.run(asked as never, deps))
    const done = await (route.deadline === 'around' ? beforeDatabaseDeadline(ctx, work) : work)
    if (done === WRITTEN) return
    const { status, data } =
      done instanceof Reply ? (done as Reply<unknown>) : new Reply<unknown>(firstStatusOf(route), done)
    ctx.status = status
    const isEnveloped = route.isEnveloped && isSuccess(status)
    ctx.body = isEnveloped ? standardSuccess(data, ctx.state.requestId) : data
  }

const firstStatusOf = ({ answers }: Pick<Route, 'answers'>): number => Number(Object.keys(answers)[0])

/** Throws {@link ApiError}: query and body are judged first, since what they say is wrong whatever the path names. */
async function readRequest(route: Route, ctx: ApiContext): Promise<object> {
  const { query, list } = route
  const read = list
    ? readListQuery(ctx, query as never, list as OrderOf<object>)
    : { query: readQuery(ctx, query) }
  const body = await readBody(ctx, route.body)
  const me = ctx.state.principal ?? null
  return {
    ...read,
    me,
    em: ctx.state.em,
    caller: callerOf(ctx, me),
    path: readPath(ctx, route),
    body,
    http: ctx,
  }
}

async function readBody(ctx: ApiContext, body: RequestBody | undefined): Promise<unknown> {
  if (!body) return refuseBody(ctx)
  if (body.isAnyText) return readText(ctx)
  const isAbsent = body.optional === true && !hasBody(ctx)
  const { body: json, text } = isAbsent ? { body: {}, text: '' } : await readJsonDocument(ctx, body)
  ctx.state.isDryRun = json['dryRun'] === true
  if (body.read) return body.read(json, text)
  // Fields that a change leaves out stay as they are: a null that cannot be stored must not be taken for that.
  const { values, faults } = readFields(body.schema.shape, json, { nullIsAbsent: ctx.method !== 'PATCH' })
  if (faults.length > 0) throw validationError(faults)
  return values
}

function readPath(ctx: ApiContext, { path }: Pick<Route, 'path'>): Record<string, unknown> {
  const entries = Object.entries(path).map(([name, { schema, absent }]) => {
    const { success, data, error } = schema.safeParse(ctx.params[name])
    if (success) return [name, data]
    throw absent ? new ApiError(absent) : validationError(faultsIn(error, [name]))
  })
  return Object.fromEntries(entries) as Record<string, unknown>
}
