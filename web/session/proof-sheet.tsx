import { Link } from '@tanstack/react-router'
import { ask } from '../connection/ask.ts'
import { useStore } from '../connection/store.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { FormSheet, textOf, useSend } from '../parts/form.tsx'
import { useMe } from '../records/person.ts'
import { proof } from '../connection/proof.ts'

/** Asks for the password or the second step; then the request that needs it continues. */
export function ProofSheet() {
  const request = useStore(proof)
  const { data: me } = useMe()
  const form = useSend(async (data) => {
    const text = textOf(data, 'proof')
    await ask('POST /api/v1/auth/verify', {
      body: me?.mfaEnabled === true ? { code: text } : { password: text },
    })
    proof.get()?.end(true)
  })
  const label = me?.mfaEnabled === true ? 'Code from your authenticator' : 'Password'
  if (request?.bySecondStep === true && me?.mfaEnabled === false)
    return <SecondStepMissing close={() => request.end(false)} />
  if (request === null) return null
  return (
    <FormSheet
      close={() => request.end(false)}
      title="Confirm your identity"
      verb="Go on"
      form={form}
      needsNoNews
    >
      <p className="text-muted">This action needs it. Your request then continues automatically.</p>
      <Field
        label={label}
        name="proof"
        type={me?.mfaEnabled === true ? 'text' : 'password'}
        autoComplete={me?.mfaEnabled === true ? 'one-time-code' : 'current-password'}
        required
        fault={form.faultOf('password') ?? form.faultOf('code')}
      />
    </FormSheet>
  )
}

/** Administrators prove their requests by a code, which needs the second step. */
const SecondStepMissing = ({ close }: { close: () => void }) => (
  <Sheet isOpen close={close} title="It needs two-step sign-in">
    <p className="text-muted">Administrators need two-step sign-in. Turn it on first.</p>
    <Link to="/settings/security" onClick={close} className={buttonClass('primary', 'big')}>
      Go to security
    </Link>
    <Button onClick={close}>Go back</Button>
  </Sheet>
)
