import { useState } from 'react'
import { ask } from '../connection/ask.ts'
import { Field } from '../parts/field.tsx'
import { textOf, useSend, Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { Frame } from './frame.tsx'

interface Device {
  userCode: string
  deviceName: string
  ip: string
}

/** Lets a device in that shows a code, after its name and address were seen. */
export function DevicePage() {
  const [device, setDevice] = useState<Device | null>(null)
  const [message, setMessage] = useState<string | null>(null)
  const find = useSend(async (data) => {
    const userCode = textOf(data, 'userCode').trim()
    const { body } = await ask('GET /api/v1/auth/device-login/{userCode}', { path: { userCode } })
    setDevice(body.data.device)
  })
  const decide = useSend(async () => {
    if (!device) return
    const { body } = await ask('POST /api/v1/auth/device-login/{userCode}/approve', {
      path: { userCode: device.userCode },
    })
    setMessage(body.data.message)
  })
  const deny = useSend(async () => {
    if (!device) return
    const { body } = await ask('POST /api/v1/auth/device-login/{userCode}/deny', {
      path: { userCode: device.userCode },
    })
    setMessage(body.data.message)
  })
  return (
    <Frame title="Confirm a device">
      {message !== null && <Notice kind="info" title={message} />}
      {message === null && device === null && (
        <Form {...find} action="Go on">
          <Field
            label="Code on the device"
            name="userCode"
            autoComplete="off"
            defaultValue={new URLSearchParams(location.search).get('code') ?? ''}
            required
          />
        </Form>
      )}
      {message === null && device !== null && (
        <>
          <Notice kind="warn" title={`${device.deviceName} at ${device.ip} wants to sign in as you`}>
            <p>Confirm only a device that you hold in your hands and that shows {device.userCode}.</p>
          </Notice>
          <Form {...decide} action="It is mine: let it in" />
          <Form {...deny} action="Refuse it" kind="danger" />
        </>
      )}
    </Frame>
  )
}
