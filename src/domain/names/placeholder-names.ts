import { lazySet } from "./word-list.ts"

/** Words that replace a real name in a name field. */
export const PLACEHOLDERS =
  lazySet(`test tests testing tester teste asdf asd qwe qwer foo bar baz foobar none null nil na
  anonymous anonym anon unknown nobody noname name firstname lastname surname fname lname first last user username admin
  example sample demo dummy fake xxx abc abcd xyz mustermann undefined nan blah bla aaa bbb customer guest lorem ipsum
  тест аноним имя фамилия`)
