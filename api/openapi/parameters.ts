import type { z } from 'zod'
import type { JsonSchema, SchemaBook } from './json-schema.ts'
import type { Operation } from '../http/operation.ts'

/** The parameters of a route. */
export const parametersOf = (book: SchemaBook, { path, query, headers }: Operation): object[] => [
  ...parametersIn(book, 'path', path),
  ...parametersIn(book, 'query', query),
  ...parametersIn(book, 'header', headers),
]

function parametersIn(
  book: SchemaBook,
  where: 'path' | 'query' | 'header',
  schema: z.ZodObject | undefined,
): object[] {
  const fields: Record<string, z.ZodType> = schema?.shape ?? {}
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

/** In an address everything is text: a number that may also be text is a number there. */
function withoutText(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  const forms = Array.isArray(anyOf) ? (anyOf as JsonSchema[]) : []
  const [number, text] = forms
  const isEither =
    forms.length === 2 && /^(number|integer)$/.test(String(number!['type'])) && text!['type'] === 'string'
  return isEither ? { ...number, ...rest } : schema
}
