import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { describeApi, type OpenApiDocument } from '#api/openapi/document.ts'
import type { JsonSchema } from '#api/openapi/json-schema.ts'
import { ROUTES } from '#api/routes.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'

/** Where the types of the client are written to. */
export const CLIENT_TYPES = join(REPOSITORY, 'client/types.ts')

const HEAD = `// Written by \`npm run docs\` from the description of the API, as it stands at /openapi.json.`

/** The types of requests and answers, as the description of the API gives them; a source file. */
export async function clientTypes(): Promise<string> {
  const document = describeApi(ROUTES)
  const { schemas, responses } = document.components
  const records = Object.entries(schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema)}`)
  const errors = Object.entries(responses).map(([name, { content }]) => `'${name}': ${bodyType(content)}`)
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        `/** ${String(operation['summary'])} */\n'${method.toUpperCase()} ${path}': ${routeType(operation)}`,
    ),
  )
  const text = [
    HEAD,
    ...records,
    `/** Answers that many routes have in common: errors, by their codes. */\nexport interface Errors { ${errors.join('\n')} }`,
    `/** What each route takes and how it answers, by method and path. */\nexport interface Routes { ${routes.join('\n')} }`,
  ].join('\n\n')
  return format(text, { ...(await resolveConfig(CLIENT_TYPES)), filepath: CLIENT_TYPES })
}

type DescribedOperation = OpenApiDocument['paths'][string][string]
type Content = Record<string, { schema: JsonSchema }> | undefined
interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: JsonSchema
}

function routeType({ parameters, requestBody, responses }: DescribedOperation): string {
  const all = parameters as Parameter[]
  const request = ['path', 'query'].flatMap((where) => {
    const own = all.filter((parameter) => parameter.in === where)
    if (own.length === 0) return []
    const fields = own.map((it) => field(it.name, { ...it.schema, description: it.description }, it.required))
    return `${where}${own.some(({ required }) => required) ? '' : '?'}: { ${fields.join('\n')} }`
  })
  const body = requestBody as { required: boolean; content: Content } | undefined
  if (body) request.push(`body${body.required ? '' : '?'}: ${bodyType(body.content)}`)
  const answers = Object.entries(responses).map(([status, answer]) =>
    '$ref' in answer
      ? `${status}: Errors['${answer.$ref.split('/').at(-1)!}']`
      : `${status}: ${answer.content ? bodyType(answer.content) : 'null'}`,
  )
  const isOptional = request.every((part) => /^\w+\?/.test(part))
  const asked = request.length === 0 ? '' : `request${isOptional ? '?' : ''}: { ${request.join('\n')} }`
  return `{ request: [${asked}]\n answers: { ${answers.join('\n')} } }`
}

const bodyType = (content: Content): string => {
  const json = content?.['application/json']
  // A stream is read as text, piece by piece.
  return json ? typeOf(json.schema) : 'string'
}

const field = (name: string, schema: JsonSchema, required: boolean): string => {
  const { description } = schema
  const comment = typeof description === 'string' ? `/** ${description.replaceAll('*/', '* /')} */\n` : ''
  return `${comment}${JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)}`
}

/** Empty text is how a template leaves a field out; a program does not write the field. */
const isForPrograms = (choice: JsonSchema): boolean => choice['const'] !== ''

/** The TypeScript type of what a schema takes. */
function typeOf(schema: JsonSchema): string {
  const { $ref, const: only, enum: words, anyOf, oneOf, type, items } = schema
  if (typeof $ref === 'string') return $ref.split('/').at(-1)!
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(words)) return unionOf(words.map((word) => JSON.stringify(word)))
  const choices = anyOf ?? oneOf
  if (Array.isArray(choices)) return unionOf((choices as JsonSchema[]).filter(isForPrograms).map(typeOf))
  if (Array.isArray(type)) return unionOf((type as string[]).map((one) => typeOf({ ...schema, type: one })))
  switch (type) {
    case 'integer':
      return 'number'
    case 'array':
      return `(${typeOf((items as JsonSchema | undefined) ?? {})})[]`
    case 'object':
      return objectType(schema)
    default:
      return typeof type === 'string' ? type : 'unknown'
  }
}

function objectType({ properties, required, additionalProperties }: JsonSchema): string {
  const names = (required as string[] | undefined) ?? []
  const fields = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
  if (fields.length > 0)
    return `{ ${fields.map(([name, schema]) => field(name, schema, names.includes(name))).join('\n')} }`
  if (additionalProperties === false) return 'Record<string, never>'
  const values =
    typeof additionalProperties === 'object' ? typeOf(additionalProperties as JsonSchema) : 'unknown'
  return `Record<string, ${values}>`
}

const unionOf = (types: readonly string[]): string => [...new Set(types)].join(' | ')
