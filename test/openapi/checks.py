"""A check of Schemathesis that knows the reasons of this service."""

import re

import schemathesis

# A refusal of what the schema allows needs one of these reasons: they are more than a JSON Schema can say.
EXPLAINED = [
    # RFC 5321 and IDNA decide what a domain or a mailbox is. A pattern only excludes what cannot be one.
    r"(domain|email|owner_email|mx_host|search|the path needs .* or a mailbox): .*",
    # A pattern cannot count the groups of an IPv6 address or the days of a month, and Python's has no class of letters.
    r"ip: .*|body\.allowed_networks\.\d+: must be an IP address or a network.*",
    r"query\.(from|to): Invalid input|body\.expires_at: must be in the future.*",
    r"\w+\.(first_name|last_name|name): must have at least one letter( of a name)?",
    # URL parsers refuse more than a pattern, and some hosts are not public.
    r"\w+\.(webhook_url|url): (must be a URL|must begin with https://|names a host of .*)|url must begin .*",
    r"body\.allowed_origins\.\d+: must be an origin .*|url: must be a profile's URL .*",
    # The provider that another field names decides what a credential or a secret is.
    r"body\.credentials.*: .*|\w+ events cannot be verified without a secret|the secret is not usable: .*",
    # Fields that need or exclude each other.
    r"body\.email: is required|body\.domain: excludes email.*|body: needs either .*|existing and missing.*",
    r"query\.domain: must not be empty without a company_name",
    r"body\.allowed_origins: a publishable key needs .*|body\.kind: only a publishable key has .*",
    r"there are several \w+ integrations; .*|this integration belongs to .*",
    # A generated file is no list of addresses.
    r"body\.file: .*|query\.sheet: .*|query\.email_column: .*|(query\.encoding: )?is no encoding .*",
    r"no address column was found.*|the table has no column .*|the text is neither .*|this .* no(t an)? Excel workbook.*",
    # Generated text is no cursor, signature or token, and a key of idempotency is generated twice.
    r"cursor: must be a next_cursor .*|the request lacks the provider's signature .*",
    r"the sign-in link is invalid.*|the token is unknown, expired or used.*",
    r"header\.idempotency-key: was already used for another request",
    # The scopes and the URL of this service's MCP server.
    r"scope: must be of .*|resource: must be http.*",
    # All calls are of one account, which may do some free work only so often.
    r"rate limit exceeded; .*",
]

# The service of scripts/ci-openapi.sh has no such setting, and reaches no DNS server and no provider of the Internet.
UNAVAILABLE = [
    r".*(is|are) (not )?configured.*|not switched on: .*",
    r".* cannot be reached; .*|DNS gave no answer .*",
]


@schemathesis.check
def refuses_only_for_a_reason(ctx, response, case):
    """Fails for a refusal of values that the schema allows, and for a 503, without one of the reasons above."""
    status = response.status_code
    is_positive = case.meta is not None and case.meta.generation.mode.is_positive
    # Generated ids rarely exist, and existing objects may be in another state.
    if status != 503 and (status < 400 or status in (404, 409) or not is_positive):
        return
    explained = UNAVAILABLE if status == 503 else EXPLAINED
    left = [reason for reason in reasons_of(response) if not any(re.fullmatch(rule, reason) for rule in explained)]
    assert not left, f"{status} without a known reason: {left}"


def reasons_of(response):
    """Returns the message of an error, or one with its field for each field of a 422."""
    detail = response.json()["detail"]
    if isinstance(detail, str):
        return [detail]
    return [".".join(str(part) for part in one["loc"]) + f": {one['msg']}" for one in detail]
