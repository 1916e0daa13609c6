import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { z } from 'zod'
import { requestIdAnswer } from '#contract/envelopes.ts'
import { pagingAnswer } from '#contract/values/query.ts'
import { describeApi, type OpenApiDocument } from '#api/openapi/document.ts'
import type { JsonSchema } from '#api/openapi/json-schema.ts'
import { ROUTES } from '#api/routes.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'

/** Where the types of the client are written to. */
export const CLIENT_TYPES = join(REPOSITORY, 'client/types.ts')

/** Records with fewer fields in common have them by chance. */
const LEAST_SHARED = 4

const HEAD = `// Written by \`npm run docs\` from the description of the API, as it stands at /openapi.json.`

/** The types of requests and answers, as the description of the API gives them; a source file. */
export async function clientTypes(): Promise<string> {
  const document = describeApi(ROUTES)
  const { schemas, responses } = document.components
  const records = Object.keys(schemas).map((name) => `export type ${name} = ${recordType(name, schemas)}`)
  const errors = errorTypes(responses)
  const requestId = field('requestId', z.toJSONSchema(requestIdAnswer), true)
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        `/** ${String(operation['summary'])} */\n'${method.toUpperCase()} ${path}': ${routeType(operation, errors.byName)}`,
    ),
  )
  const text = [
    HEAD,
    ...records,
    `/** The answer of a route. */\nexport interface Answer<Data> { data: Data\n${requestId} }`,
    `/** The figures of a list beside its rows. */\nexport type Page = ${typeOf(z.toJSONSchema(z.strictObject(pagingAnswer)))}`,
    ...errors.declared,
    `/** What each route takes and how it answers, by method and path. */\nexport interface Routes { ${routes.join('\n')} }`,
  ].join('\n\n')
  return format(text, { ...(await resolveConfig(CLIENT_TYPES)), filepath: CLIENT_TYPES })
}

type Fields = [name: string, schema: JsonSchema][]
type DescribedOperation = OpenApiDocument['paths'][string][string]
type Content = Record<string, { schema: JsonSchema }> | undefined
interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: JsonSchema
}

function routeType(
  { parameters, requestBody, responses }: DescribedOperation,
  errors: ReadonlyMap<string, string>,
): string {
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
      ? `${status}: ${errors.get(answer.$ref.split('/').at(-1)!)!}`
      : `${status}: ${answer.content ? bodyType(answer.content) : 'null'}`,
  )
  const isOptional = request.every((part) => /^\w+\?/.test(part))
  const asked = request.length === 0 ? '' : `request${isOptional ? '?' : ''}: { ${request.join('\n')} }`
  return `{ request: [${asked}]\n answers: { ${answers.join('\n')} } }`
}

/** The families of errors, in the names of the description, and the type of each. */
const FAMILIES: Readonly<Record<string, string>> = {
  standard: 'ApiError',
  'signal-creation': 'SignalError',
  bare: 'BareError',
}

/**
 * The errors of the description, `family.CODE.CODE`: one type for each family, which takes the codes, and the type of each error
 * by its name. Throws when two errors of a family differ in more than their codes.
 */
function errorTypes(responses: OpenApiDocument['components']['responses']) {
  const byName = new Map<string, string>()
  const bodies = new Map<string, string>()
  for (const [name, { content }] of Object.entries(responses)) {
    const [family, ...words] = name.split('.')
    const codes = unionOf(words.map((word) => JSON.stringify(word)))
    const body = bodyType(content)
    const type = FAMILIES[family!]!
    const general = body.replace(codes, 'Code')
    byName.set(name, general === body ? body : `${type}<${codes}>`)
    if (general === body) continue
    if ((bodies.get(type) ?? general) !== general) throw new Error(`${name} is no ${type}`)
    bodies.set(type, general)
  }
  const declared = [...bodies].map(
    ([type, body]) =>
      `/** An error, by the codes that it may have. */\nexport interface ${type}<Code> ${body}`,
  )
  return { byName, declared }
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
  if (fields.length > 0) return fieldsType(fields, names)
  if (additionalProperties === false) return 'Record<string, never>'
  const values =
    typeof additionalProperties === 'object' ? typeOf(additionalProperties as JsonSchema) : 'unknown'
  return `Record<string, ${values}>`
}

/** Of a record that has all fields of another, such as a detail of a summary, the other and what it has more. */
function recordType(name: string, schemas: Readonly<Record<string, JsonSchema>>): string {
  const requiredOf = (schema: JsonSchema) => (schema['required'] as string[] | undefined) ?? []
  const fieldsOf = (record: string): Fields =>
    Object.entries((schemas[record]!['properties'] ?? {}) as Record<string, JsonSchema>)
  const signatures = (record: string): string[] =>
    fieldsOf(record).map((each) => JSON.stringify([...each, requiredOf(schemas[record]!).includes(each[0])]))
  const own = new Set(signatures(name))
  const [within] = Object.keys(schemas)
    .filter((other) => other !== name && fieldsOf(other).length >= LEAST_SHARED)
    .filter((other) => signatures(other).every((signature) => own.has(signature)))
    .toSorted((one, other) => fieldsOf(other).length - fieldsOf(one).length)
  if (within === undefined) return typeOf(schemas[name]!)
  const shared = new Set(fieldsOf(within).map(([field]) => field))
  const more = fieldsOf(name).filter(([field]) => !shared.has(field))
  return `${within} & ${fieldsType(more, requiredOf(schemas[name]!))}`
}

/** An object with these fields; what all answers and all pages have is a type of its own. */
function fieldsType(fields: Fields, required: readonly string[]): string {
  const written = (some: Fields): string =>
    `{ ${some.map(([name, schema]) => field(name, schema, required.includes(name))).join('\n')} }`
  if (fields.map(([name]) => name).join() === 'data,requestId') return `Answer<${typeOf(fields[0]![1])}>`
  const isOfPage = ([name]: Fields[number]): boolean => Object.hasOwn(pagingAnswer, name)
  const own = fields.filter((each) => !isOfPage(each))
  const isPage = own.length > 0 && fields.length - own.length === Object.keys(pagingAnswer).length
  return isPage ? `Page & ${written(own)}` : written(fields)
}

const unionOf = (types: readonly string[]): string => [...new Set(types)].join(' | ')
