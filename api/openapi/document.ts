import { policyOf, type RoutePolicy } from '../access/policy.ts'
import { envelopeFamilyOf } from '../http/envelopes.ts'
import { TIERS } from '../access/tiers.ts'
import { AnswerBook, json, type DescribedAnswer, type Reference } from './answer-book.ts'
import { authorizationOf, SECURITY_SCHEMES, securityOf } from './credentials.ts'
import { introduction } from './introduction.ts'
import { SchemaBook, type JsonSchema } from './json-schema.ts'
import type { Operation, Operations } from '../http/operation.ts'
import { parametersOf } from './parameters.ts'
import { SHARED_HEADERS } from './response-headers.ts'
import { operationIdOf, partsOf } from './route-names.ts'

/** A description of the API after the OpenAPI Specification 3.1. */
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

/**
 * Writes the description of the API: what routes say of themselves, and what the access policy, the limits and the
 * catalogue of errors say of them.
 *
 * @param operations by the names of their routes
 */
export function describeApi(operations: Operations): OpenApiDocument {
  const schemas = new SchemaBook()
  const answers = new AnswerBook(schemas)
  const paths: OpenApiDocument['paths'] = {}
  for (const [name, operation] of Object.entries(operations)) {
    const { method, path } = partsOf(name)
    paths[path] = { ...paths[path], [method]: describeOperation({ schemas, answers }, name, operation) }
  }
  // What addresses answer that are no route, or not by this method.
  answers.errors('standard', ['NOT_FOUND'], null)
  answers.errors('standard', ['METHOD_NOT_ALLOWED'], null)
  return {
    openapi: '3.1.1',
    ...introduction(Object.values(operations).map(({ tag }) => tag)),
    paths,
    components: {
      schemas: schemas.components(),
      responses: answers.components(),
      headers: SHARED_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function describeOperation(
  { schemas, answers }: { schemas: SchemaBook; answers: AnswerBook },
  name: string,
  operation: Operation,
): DescribedOperation {
  const policy = policyOf(name)
  const { method, path } = partsOf(name)
  const { tag, summary, description, body } = operation
  return {
    operationId: operationIdOf(name),
    tags: [tag],
    summary,
    description: [description, policy && termsOf(policy)].filter(Boolean).join('\n\n'),
    parameters: parametersOf(schemas, operation),
    ...(body && {
      requestBody: {
        required: body.optional !== true,
        content: json(
          method === 'patch' ? schemas.ofRequest(body.schema) : schemas.ofBody(body.schema),
          body.examples,
        ),
      },
    }),
    responses: answers.of(operation, policy, envelopeFamilyOf(method.toUpperCase(), path)),
    security: securityOf(policy),
  }
}

/** Who may use a route and how often, in words. */
function termsOf(policy: RoutePolicy): string {
  if (policy.tier === null) return authorizationOf(policy)
  const { limit, seconds, by } = TIERS[policy.tier]
  const window = seconds === 60 ? 'minute' : seconds === 3_600 ? 'hour' : `${seconds / 60} minutes`
  const key = { ip: 'address', device: 'device', principal: 'token or person' }[by]
  return `${authorizationOf(policy)} At most ${limit} requests per ${window} and ${key}.`.trim()
}
