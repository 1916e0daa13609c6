import { useState } from 'react'
import { ask, dataOf } from '../connection/ask.ts'
import { Field } from '../parts/field.tsx'
import { textOf, useSend, Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { Frame } from './frame.tsx'

interface Device {
  userCode: string
  deviceName: string
  ip: string
}

/** Signs in a device that shows a code, after its name and address were seen. */
export function DevicePage() {
  const [device, setDevice] = useState<Device | null>(null)
  const [message, setMessage] = useState<string | null>(null)
  const find = useSend(async (data) => {
    const userCode = textOf(data, 'userCode').trim()
    const { body } = await ask('GET /api/v1/auth/device-login/{userCode}', { path: { userCode } })
    setDevice(body.data.device)
  })
  const path = { userCode: device?.userCode ?? '' }
  const decide = async (told: Promise<{ message: string }>) => setMessage((await told).message)
  const approve = useSend(() => decide(dataOf('POST /api/v1/auth/device-login/{userCode}/approve', { path })))
  const deny = useSend(() => decide(dataOf('POST /api/v1/auth/device-login/{userCode}/deny', { path })))
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
          <Form {...approve} action="Approve" />
          <Form {...deny} action="Deny" kind="danger" />
        </>
      )}
    </Frame>
  )
}
