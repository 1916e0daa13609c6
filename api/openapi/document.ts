import { type RoutePolicy, limitOf, TIERS } from '../access/policy.ts'
import { envelopeFamilyOf } from '#contract/envelopes.ts'
import type { ErrorCode } from '#contract/errors.ts'
import { AnswerBook, json, type DescribedAnswer, type Reference, SHARED_HEADERS } from './answer-book.ts'
import { authorizationOf, SECURITY_SCHEMES, securityOf, chaptersOf, introduction } from './introduction.ts'
import { SchemaBook, type JsonSchema } from './json-schema.ts'
import type { Route } from '../route/route.ts'
import type { RequestBody } from '#contract/endpoint.ts'
import type { z } from 'zod'

export function partsOf(name: string): { method: string; path: string } {
  const [method, path] = name.split(' ') as [string, string]
  return { method: method.toLowerCase(), path: path.replaceAll(/:(\w+)/g, '{$1}') }
}

/** `GET /api/v1/orders/:orderId` is `getOrdersByOrderId`. */
export function operationIdOf(name: string): string {
  const { method, path } = partsOf(name)
  const words = path
    .replace('/api/v1', '')
    .replaceAll('{', 'By-')
    .split(/[^A-Za-z]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return method + (words.join('') || 'Root')
}

const parametersOf = (book: SchemaBook, { path, query, headers }: Route): object[] => [
  ...parametersIn(book, 'path', shapeOf(path)),
  ...parametersIn(book, 'query', query.shape),
  ...parametersIn(book, 'header', headers?.shape),
]

function parametersIn(
  book: SchemaBook,
  where: 'path' | 'query' | 'header',
  fields: Readonly<Record<string, z.ZodType>> = {},
): object[] {
  return Object.entries(fields).map(([name, field]) => {
    const { description, ...rest } = withoutText(book.ofRequest(field))
    return {
      name,
      in: where,
      required: where === 'path' || !field.safeParse(undefined).success,
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
}

const shapeOf = (path: Route['path']): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(path).map(([name, { schema }]) => [name, schema]))

function withoutText(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  const forms = Array.isArray(anyOf) ? (anyOf as JsonSchema[]) : []
  const [number, text] = forms
  const isEither =
    forms.length === 2 && /^(number|integer)$/.test(String(number!['type'])) && text!['type'] === 'string'
  return isEither ? { ...number, ...rest } : schema
}

export interface OpenApiDocument {
  openapi: '3.1.1'
  paths: Record<string, Record<string, DescribedOperation>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, DescribedAnswer>
    [kind: string]: object
  }
  [part: string]: unknown
}

interface DescribedOperation {
  operationId: string
  tags: string[]
  parameters: object[]
  requestBody?: object
  responses: Record<string, DescribedAnswer | Reference>
  [part: string]: unknown
}

export const UNMATCHED = [
  'VALIDATION_ERROR',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'RATE_LIMIT_EXCEEDED',
] as const satisfies ErrorCode[]

/** Routes without a chapter are pages for people. */
export function describeApi(routes: readonly Route[]): OpenApiDocument {
  const schemas = new SchemaBook()
  const answers = new AnswerBook(schemas)
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    if (route.tag === null) continue
    const { method, path } = partsOf(route.name)
    paths[path] = { ...paths[path], [method]: describeRoute({ schemas, answers }, route) }
  }
  for (const code of UNMATCHED) answers.errors('standard', [code])
  return {
    openapi: '3.1.1',
    ...introduction(chaptersOf(routes)),
    paths,
    components: {
      schemas: schemas.components(),
      responses: answers.components(),
      headers: SHARED_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function describeRoute(
  { schemas, answers }: { schemas: SchemaBook; answers: AnswerBook },
  route: Route,
): DescribedOperation {
  const { name, access, tag, summary, description, body } = route
  const { method, path } = partsOf(name)
  return {
    operationId: operationIdOf(name),
    tags: tag === null ? [] : [tag],
    summary,
    description: [description, termsOf(access)].filter(Boolean).join('\n\n'),
    parameters: parametersOf(schemas, route),
    ...(body && {
      requestBody: {
        required: body.optional !== true,
        content: contentOf(
          method === 'patch' ? schemas.ofRequest(body.schema) : schemas.ofBody(body.schema, body.writer),
          body,
        ),
      },
    }),
    responses: answers.of(route, envelopeFamilyOf(method.toUpperCase(), path)),
    security: securityOf(access),
  }
}

const contentOf = (schema: JsonSchema, { examples, isTextTaken = false }: RequestBody): object => ({
  ...json(schema, examples),
  ...(isTextTaken && {
    'text/plain': {
      schema: { type: 'string', contentMediaType: 'application/json', contentSchema: schema },
    },
  }),
})

function termsOf(policy: RoutePolicy): string {
  if (policy.tier === null) return authorizationOf(policy)
  const { limit, seconds, by } = TIERS[policy.tier]
  const most = limitOf(policy.tier, { reserve: true })
  const window = seconds === 60 ? 'minute' : seconds === 3_600 ? 'hour' : `${seconds / 60} minutes`
  const key = { ip: 'address', device: 'device', principal: 'token or person' }[by]
  const bounds = {
    nobody: `At most ${limit} requests per ${window} and ${key}.`,
    everybody: `At most ${most} requests per ${window} and ${key}; ${most - limit} of them are kept for routes that place, move or stop money.`,
    people: `At most ${limit} requests per ${window} and token; ${most} for a person; ${most - limit} of those are kept for routes that place, move or stop money.`,
  }
  return `${authorizationOf(policy)} ${bounds[policy.reserve ?? 'nobody']}`.trim()
}
