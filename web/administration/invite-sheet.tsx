import { useState } from 'react'
import { ask } from '../connection/ask.ts'
import { Button } from '../parts/button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { Field, SelectField } from '../parts/field.tsx'
import { textOf, useSend, FormSheet } from '../parts/form.tsx'
import { LinkSent } from '../session/frame.tsx'
import { type AdministeredUser, PLANS, ROLES } from './data.ts'

/** The operator's default subscription plan. */
const USUAL = ''

export function InviteSheet({ close, invited }: { close: () => void; invited: () => void }) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useSend(
    async (data) => {
      const plan = textOf(data, 'plan')
      const { body } = await ask('POST /api/v1/admin/users', {
        body: {
          email: textOf(data, 'email').trim(),
          role: textOf(data, 'role') as AdministeredUser['role'],
          ...(plan !== USUAL && { plan: plan as AdministeredUser['plan'] }),
        },
      })
      setSentTo(body.data.user.email)
      invited()
    },
    { EMAIL_TAKEN: 'email' },
  )
  if (sentTo !== null)
    return (
      <Sheet isOpen close={close} title="Invite a user">
        <div role="status">
          <LinkSent to={sentTo}>They must choose a password with it within a day.</LinkSent>
        </div>
        <Button size="big" onClick={close}>
          Close
        </Button>
      </Sheet>
    )
  return (
    <FormSheet close={close} title="Invite a user" verb="Invite" form={form} needsNoNews>
      <Field label="Email" name="email" type="email" autoComplete="off" required />
      <SelectField
        label="Role"
        name="role"
        options={ROLES}
        hint="Administrators see every user and can stop the whole service. They need two-step sign-in."
      />
      <SelectField label="Plan" name="plan" options={{ [USUAL]: 'default', ...PLANS }} />
    </FormSheet>
  )
}
