// Reads addresses from stdin and prints one line of JSON for each.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"

	emailverifier "github.com/AfterShip/email-verifier"
)

// "unknown" also comes with an error. Wrong syntax has no word of its own in Reachable.
func verdict(result *emailverifier.Result) string {
	switch {
	case !result.Syntax.Valid || result.Reachable == "no":
		return "undeliverable"
	case result.Reachable == "yes":
		return "deliverable"
	}
	return "unknown"
}

func main() {
	timeout, err := time.ParseDuration(os.Getenv("PEER_TIMEOUT_MS") + "ms")
	if err != nil {
		panic(err)
	}
	verifier := emailverifier.NewVerifier().EnableSMTPCheck().
		HelloName(os.Getenv("PEER_HELO")).FromEmail(os.Getenv("PEER_MAIL_FROM")).
		ConnectTimeout(timeout).OperationTimeout(timeout)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		go func(address string) {
			result, err := verifier.Verify(address)
			raw := fmt.Sprintf("%s, error: %v", result.Reachable, err)
			line, _ := json.Marshal(map[string]string{"address": address, "verdict": verdict(result), "raw": raw})
			fmt.Println(string(line))
		}(lines.Text())
	}
}
