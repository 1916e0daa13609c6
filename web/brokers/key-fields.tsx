import type { BrokerType } from '#client/types.ts'
import { Field } from '../parts/field.tsx'
import { textOf } from '../parts/form.tsx'

/** The keys that a type of broker needs, each with what it is and where it is found. */
export const KeyFields = ({ type }: { type: BrokerType }) =>
  type.credentials.map(({ key, label, hint, isSecret }) => (
    <Field
      key={`${type.type} ${key}`}
      label={label}
      name={`credentials.${key}`}
      type={isSecret ? 'password' : 'text'}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={512}
      required
      hint={hint}
    />
  ))

/** The keys as they were filled in; without the spaces that come along when a key is copied. */
export const keysOf = (type: BrokerType, form: FormData): Record<string, string> =>
  Object.fromEntries(type.credentials.map(({ key }) => [key, textOf(form, `credentials.${key}`).trim()]))
