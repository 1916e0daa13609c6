import type { z } from 'zod'
import { policyOf, type RoutePolicy } from '../access-policy.ts'
import { envelopeFamilyOf, type EnvelopeFamily } from '../envelopes.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { TIERS } from '../limits/tiers.ts'
import { admissionOf, SECURITY_SCHEMES, securityOf } from './credentials.ts'
import { errorAnswer, errorExample, errorsOf } from './error-answers.ts'
import { introduction } from './introduction.ts'
import { SchemaBook, type JsonSchema } from './json-schema.ts'
import type { Operation, Operations } from './operation.ts'
import { headersOf, SHARED_HEADERS } from './response-headers.ts'

/** A description of the API after the OpenAPI Specification 3.1. */
export interface OpenApiDocument {
  openapi: '3.1.1'
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, JsonSchema>; [kind: string]: object }
  [part: string]: unknown
}

interface DescribedOperation {
  operationId: string
  tags: string[]
  parameters: object[]
  requestBody?: object
  responses: Record<string, DescribedAnswer>
  [part: string]: unknown
}

interface DescribedAnswer {
  description: string
  headers: object
  content?: Record<string, { schema: JsonSchema; examples?: object }>
}

/**
 * Writes the description of the API: what routes say of themselves, and what the access policy, the limits and the
 * catalogue of errors say of them.
 *
 * @param operations by the names of their routes
 */
export function describeApi(operations: Operations): OpenApiDocument {
  const book = new SchemaBook()
  const paths: OpenApiDocument['paths'] = {}
  for (const [name, operation] of Object.entries(operations)) {
    const { method, path } = partsOf(name)
    ;(paths[path] ??= {})[method] = describeOperation(book, name, operation)
  }
  const unmatched = {
    NotFound: describeErrors(book, 'standard', ['NOT_FOUND'], null),
    MethodNotAllowed: describeErrors(book, 'standard', ['METHOD_NOT_ALLOWED'], null),
  }
  return {
    openapi: '3.1.1',
    ...introduction(Object.values(operations).map(({ tag }) => tag)),
    paths,
    components: {
      schemas: book.components(),
      headers: SHARED_HEADERS,
      responses: unmatched,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** The method in lower case and the path as a template: `GET /orders/:orderId` is `get` and `/orders/{orderId}`. */
export function partsOf(name: string): { method: string; path: string } {
  const [method, path] = name.split(' ') as [string, string]
  return { method: method.toLowerCase(), path: path.replaceAll(/:(\w+)/g, '{$1}') }
}

/** A name for programs: `GET /api/v1/orders/:orderId` is `getOrdersByOrderId`. */
export function operationIdOf(name: string): string {
  const { method, path } = partsOf(name)
  const words = path
    .replace('/api/v1', '')
    .replaceAll('{', 'By-')
    .split(/[^A-Za-z]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return method + (words.join('') || 'Root')
}

function describeOperation(book: SchemaBook, name: string, operation: Operation): DescribedOperation {
  const policy = policyOf(name)
  const { method, path } = partsOf(name)
  const { tag, summary, body } = operation
  const description = [operation.description, policy && `${admissionOf(policy)} ${limitOf(policy)}`.trim()]
  return {
    operationId: operationIdOf(name),
    tags: [tag],
    summary,
    description: description.filter(Boolean).join('\n\n'),
    parameters: [
      ...parametersIn(book, 'path', operation.path),
      ...parametersIn(book, 'query', operation.query),
      ...parametersIn(book, 'header', operation.headers),
    ],
    ...(body && {
      requestBody: {
        required: body.optional !== true,
        content: {
          'application/json': { schema: book.ofRequest(body.schema), examples: examplesOf(body.examples) },
        },
      },
    }),
    responses: describeAnswers(book, operation, policy, envelopeFamilyOf(method.toUpperCase(), path)),
    security: securityOf(policy),
  }
}

const limitOf = ({ tier }: RoutePolicy): string => {
  const { limit, seconds, by } = TIERS[tier]
  const window = seconds === 60 ? 'minute' : seconds === 3_600 ? 'hour' : `${seconds / 60} minutes`
  const key = { ip: 'address', device: 'device', principal: 'token or person' }[by]
  return `At most ${limit} requests per ${window} and ${key}.`
}

function parametersIn(
  book: SchemaBook,
  where: 'path' | 'query' | 'header',
  schema: Operation['query'],
): object[] {
  if (!schema) return []
  const fields: Record<string, z.ZodType> = schema.shape
  return Object.entries(fields).map(([name, field]) => {
    const { description, ...rest } = book.ofRequest(field)
    return {
      name,
      in: where,
      required: where === 'path' || !field.safeParse(undefined).success,
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
}

function describeAnswers(
  book: SchemaBook,
  operation: Operation,
  policy: RoutePolicy | null,
  family: EnvelopeFamily,
): Record<string, DescribedAnswer> {
  const answers: Record<string, DescribedAnswer> = {}
  for (const [status, { description, schema, examples }] of Object.entries(operation.answers)) {
    const headers = headersOf(Number(status), policy)
    answers[status] = { description, headers }
    if (schema)
      answers[status].content = {
        'application/json': {
          schema: book.ofAnswer(schema),
          ...(examples && { examples: examplesOf(examples) }),
        },
      }
  }
  const codes = Map.groupBy(errorsOf(operation, policy), (code) => ERRORS[code].status)
  for (const [status, ofStatus] of codes) {
    const errors = describeErrors(book, family, ofStatus, policy)
    answers[status] = answers[status] ? eitherOf(answers[status], errors) : errors
  }
  return answers
}

function describeErrors(
  book: SchemaBook,
  family: EnvelopeFamily,
  codes: readonly ErrorCode[],
  policy: RoutePolicy | null,
): DescribedAnswer {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
    headers: headersOf(ERRORS[codes[0]!].status, policy),
    content: {
      'application/json': {
        schema: book.ofAnswer(errorAnswer(family, codes)),
        examples: examplesOf(Object.fromEntries(codes.map((code) => [code, errorExample(family, code)]))),
      },
    },
  }
}

/** A status that a route uses both for an answer of its own and for errors. */
function eitherOf(own: DescribedAnswer, errors: DescribedAnswer): DescribedAnswer {
  const one = own.content?.['application/json']
  const other = errors.content!['application/json']!
  if (!one) throw new Error('An answer without a body and an error share a status')
  return {
    description: `${own.description}\n\n${errors.description}`,
    headers: errors.headers,
    content: {
      'application/json': {
        schema: { anyOf: [one.schema, other.schema] },
        examples: { ...one.examples, ...other.examples },
      },
    },
  }
}

/** Examples under names that OpenAPI takes; the words stay as their summary. */
const examplesOf = (examples: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(examples).map(([words, value]) => [
      words.replaceAll(/[^\w.-]+/g, '-'),
      { summary: words, value },
    ]),
  )
