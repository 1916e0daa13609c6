import { z } from 'zod'
import { absentValues, type Writer } from '#contract/values/fields.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export class SchemaBook {
  readonly #components = new Map<string, JsonSchema>()

  ofRequest(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'input')
  }

  /** Optional fields take null too, and empty text in a template. */
  ofBody(schema: z.ZodObject, writer: Writer = {}): JsonSchema {
    const written = this.ofRequest(schema)
    const fields = schema.shape as Record<string, z.ZodType>
    const properties = Object.entries(written['properties'] as Record<string, JsonSchema>).map(
      ([name, property]) => [name, withAbsent(property, absentValues(name, fields[name]!, writer))],
    )
    return { ...written, properties: Object.fromEntries(properties) as Record<string, JsonSchema> }
  }

  ofAnswer(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'output')
  }

  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => a.localeCompare(b)))
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Wrapped: a schema with an id becomes a reference only within another.
    const written = z.toJSONSchema(z.strictObject({ wrapped: schema }), {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        if (io === 'input' && zodSchema instanceof z.ZodDefault)
          jsonSchema.default = zodSchema._zod.def.defaultValue
        if (jsonSchema.format === 'uuid' || jsonSchema.format === 'date-time') delete jsonSchema.pattern
      },
    })
    const { wrapped, $defs = {} } = withPublicReferences({ ...written.properties, $defs: written.$defs })
    for (const [id, { id: _, ...component }] of Object.entries($defs)) this.#collect(id, component)
    return wrapped!
  }

  #collect(id: string, component: JsonSchema): void {
    const known = this.#components.get(id)
    if (known && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`Two schemas that differ have the id ${id}`)
    this.#components.set(id, component)
  }
}

function withAbsent(property: JsonSchema, absent: readonly unknown[]): JsonSchema {
  const written = absent.includes(null) ? orNull(property) : property
  return absent.includes('') ? orElse(written, { const: '' }) : written
}

function orNull(property: JsonSchema): JsonSchema {
  const { type, enum: words } = property
  if (typeof type !== 'string') return orElse(property, { type: 'null' })
  return {
    ...property,
    type: [type, 'null'],
    ...(Array.isArray(words) && { enum: [...(words as unknown[]), null] }),
  }
}

function orElse(property: JsonSchema, choice: JsonSchema): JsonSchema {
  const { anyOf, description, ...rest } = property
  if (Array.isArray(anyOf)) return { ...property, anyOf: [...(anyOf as JsonSchema[]), choice] }
  return { ...(description !== undefined && { description }), anyOf: [rest, choice] }
}

type Written = { wrapped?: JsonSchema; $defs?: Record<string, JsonSchema> }

const withPublicReferences = (written: object): Written =>
  JSON.parse(JSON.stringify(written).replaceAll('"#/$defs/', '"#/components/schemas/')) as Written
