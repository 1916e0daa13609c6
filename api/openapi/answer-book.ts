import type { EnvelopeFamily } from '#contract/envelopes.ts'
import { ERRORS, type ErrorCode } from '#contract/errors.ts'
import { errorAnswer, errorExample, errorsOf } from './error-answers.ts'
import type { JsonSchema, SchemaBook } from './json-schema.ts'
import type { Route } from '../route/route.ts'
import type { Answer } from '#contract/endpoint.ts'
import { headersOf } from './response-headers.ts'

export interface DescribedAnswer {
  description: string
  headers: object
  content?: Record<string, { schema: JsonSchema; examples?: object }>
}
export interface Reference {
  $ref: string
}

export class AnswerBook {
  readonly #schemas: SchemaBook
  readonly #errors: Record<string, DescribedAnswer> = {}

  constructor(schemas: SchemaBook) {
    this.#schemas = schemas
  }

  of(route: Route, family: EnvelopeFamily): Record<string, DescribedAnswer | Reference> {
    const answers: Record<string, DescribedAnswer | Reference> = {}
    const codes: Map<number, ErrorCode[]> = Map.groupBy(errorsOf(route), (code) => ERRORS[code].status)
    for (const [status, ofStatus] of codes) answers[status] = this.errors(family, ofStatus)
    for (const [status, answer] of Object.entries(route.answers)) {
      const { description, schema, examples, mediaType } = answer
      const own: DescribedAnswer = { description, headers: headersOf(Number(status)) }
      if (schema) own.content = content(this.#schemas.ofAnswer(schema), examples, mediaType)
      const ofStatus = codes.get(Number(status))
      answers[status] = ofStatus ? eitherOf(own, this.#describeErrors(family, ofStatus)) : own
    }
    return answers
  }

  errors(family: EnvelopeFamily, codes: readonly ErrorCode[]): Reference {
    const name = [family, ...codes].join('.')
    this.#errors[name] ??= this.#describeErrors(family, codes)
    return { $ref: `#/components/responses/${name}` }
  }

  components(): Record<string, DescribedAnswer> {
    return this.#errors
  }

  #describeErrors(family: EnvelopeFamily, codes: readonly ErrorCode[]): DescribedAnswer {
    const examples: [string, object][] = codes.map((code) => [code, errorExample(family, code)])
    return {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
      headers: headersOf(ERRORS[codes[0]!].status),
      content: json(this.#schemas.ofAnswer(errorAnswer(family, codes)), Object.fromEntries(examples)),
    }
  }
}

function eitherOf(own: DescribedAnswer, errors: DescribedAnswer): DescribedAnswer {
  const one = own.content?.['application/json']
  const other = errors.content?.['application/json']
  if (!one || !other) throw new Error('An answer without a body and an error share a status')
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

export const json = (schema: JsonSchema, examples?: Readonly<Record<string, unknown>>) =>
  content(schema, examples)

const content = (
  schema: JsonSchema,
  examples: Readonly<Record<string, unknown>> = {},
  mediaType: NonNullable<Answer['mediaType']> | 'application/json' = 'application/json',
) => ({ [mediaType]: { schema, examples: namedExamples(examples) } })

const namedExamples = (examples: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(examples).map(([words, value]) => [
      words.replaceAll(/[^\w.-]+/g, '-'),
      { summary: words, value },
    ]),
  )
