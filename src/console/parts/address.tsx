/** An address that breaks behind its "@" first, where a line is too short for it. */
export function Address({ email }: { email: string }) {
  const domain = email.lastIndexOf("@") + 1
  return (
    <>
      {email.slice(0, domain)}
      <wbr />
      {email.slice(domain)}
    </>
  )
}
