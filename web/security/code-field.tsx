import { Field } from '../parts/field.tsx'

/** The code of the second step, which may be a backup code. */
export const CodeField = ({ fault }: { fault: string | undefined }) => (
  <Field
    label="Code from your authenticator"
    name="code"
    autoComplete="one-time-code"
    hint="Six digits that you have not used yet, or a backup code"
    required
    fault={fault}
  />
)
